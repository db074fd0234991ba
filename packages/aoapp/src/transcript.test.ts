import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'
import { matchesView, parseTranscript, rewriteViews, type Step } from './transcript.ts'

const PAGE = `Prose before.

# First

\`\`\`aoapp
execute a --text "x"

execute b
\`\`\`

\`\`\`js
# not a heading
\`\`\`

\`\`\`\`view My View
\`\`\`
code
\`\`\`
\`\`\`\`

# Second

\`\`\`aoapp restart
\`\`\`

\`\`\`aoapp fails E_NOT_FOUND
execute c
\`\`\`

\`\`\`view
old
\`\`\`
`

describe('a transcript', () => {
  it('holds cases with their commands, restarts and views; other blocks are prose', () => {
    expect(parseTranscript(PAGE)).toMatchObject([
      {
        title: 'First',
        line: 3,
        steps: [
          { kind: 'run', line: 5, commands: ['execute a --text "x"', 'execute b'] },
          { kind: 'view', line: 15, name: 'My View', block: { text: '```\ncode\n```' } },
        ],
      },
      {
        title: 'Second',
        steps: [
          { kind: 'restart' },
          { kind: 'fails', command: 'execute c', code: 'E_NOT_FOUND' },
          { kind: 'view', name: undefined, block: { text: 'old' } },
        ],
      },
    ])
  })

  it.each([
    ['```aoapp\nexecute a\n```', 'line 1: a block comes before the first "# heading"'],
    ['# A\n```aoapp\nexecute a', 'line 2: the block is not closed'],
    ['# A\n```aoapp sometimes\nexecute a\n```', 'line 2: "aoapp sometimes" is not one of'],
    ['# A\n```aoapp fails E_TIMEOUT\na\nb\n```', 'line 2: "aoapp fails E_TIMEOUT" is not one of'],
  ])('that is wrong says where: %j', (page, message) => {
    expect(() => parseTranscript(page)).toThrow(message)
  })

  it('is rewritten with what views show, and then expects that', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '```', '````x', '# b', '...', ''), { minLength: 1 }),
        (lines) => {
          const views = (page: string) =>
            parseTranscript(page)
              .flatMap(({ steps }) => steps)
              .filter((step): step is Step & { kind: 'view' } => step.kind === 'view')
          const shown = lines.join('\n')
          const page = rewriteViews(PAGE, new Map(views(PAGE).map(({ block }) => [block, shown])))
          expect(views(page).map(({ name, block }) => [name, block.text])).toEqual([
            ['My View', shown],
            [undefined, shown],
          ])
          expect(page.replaceAll(/[^]*# Second/g, '')).toContain('execute c')
        },
      ),
    )
  })
})

describe('a view', () => {
  it.each([
    ['a\nb', 'a\nb', true],
    ['a\nb', 'a\nb\nc', false],
    ['a\n...', 'a\nb\nc', true],
    ['...\nc', 'a\nb\nc', true],
    ['a\n...\nc', 'a\nc', true],
    ['a\n...\nc', 'a\nb\nd', false],
    ['...', '', true],
    ['1. [x](item:y[0])', '1. [x](item:y[1])', false],
  ])('%j expected, %j shown: %s', (expected, shown, matches) => {
    expect(matchesView(expected, shown)).toBe(matches)
  })

  it('that differs is shown line by line, both whole', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff(before.join('\n'), after.join('\n'))
        const side = (sign: string) =>
          diff.filter((line) => !line.startsWith(sign)).map((line) => line.slice(2))
        expect(side('+')).toEqual(before)
        expect(side('-')).toEqual(after)
      }),
    )
  })
})
