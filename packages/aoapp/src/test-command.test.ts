import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildRuntime } from '../../aotui-runtime/test-support/runtime-build.ts'
import { keepOutput, makeProject } from '../test-support/app-project.ts'
import { testCommand } from './test-command.ts'

beforeAll(() => buildRuntime())

const test = (dir: string, update = false) => {
  const output = keepOutput()
  const options = { dir, files: [], build: true, update }
  return testCommand(options, output).then((passed) => ({ passed, output }))
}

describe('aoapp test', () => {
  it('drives the app through its transcripts, and each case begins anew', async () => {
    const page = `# One\n\n\`\`\`aoapp\nexecute add --text one\n\`\`\`\n\n\`\`\`aoapp restart\n\`\`\`\n\n\`\`\`view Notes
...\n1. [one](item:notes[0])\n...\n\`\`\`\n\n# Two\n\n\`\`\`aoapp fails E_NOT_FOUND\nexecute nothing\n\`\`\`\n\n\`\`\`view\n- [Add](operation:add)\n...\n\`\`\`\n`
    const { passed, output } = await test(
      makeProject({
        'test/notes.md': page.replace('- [Add]', '# [Notes](list:notes): note[]\n...\n- [Add]'),
      }),
    )
    expect(output.lines).toEqual([
      'ok     test/notes.md: One',
      'ok     test/notes.md: Two',
      '2 passed, 0 failed',
    ])
    expect(passed).toBe(true)
  })

  it('runs the transcript of the README', async () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const [, page = ''] = /````md\n([\s\S]*?)````/.exec(readme) ?? []
    expect((await test(makeProject({ 'test/notes.md': page }))).output.lines).toEqual([
      'ok     test/notes.md: A note is added',
      '1 passed, 0 failed',
    ])
  })

  it('shows what is different, where, and what the app said; --update takes it over', async () => {
    const page = '# One\n\n```aoapp\nexecute add --text one\n```\n\n```view Notes\nwrong\n```\n'
    const dir = makeProject({ 'test/notes.md': page })
    const { passed, output } = await test(dir)
    expect(passed).toBe(false)
    expect(output.lines.join('\n')).toContain('test/notes.md:7: the view is not as expected')
    expect(output.lines.join('\n')).toContain('    - wrong\n')
    expect(output.results).toMatchObject([{ passed: 0, failed: 1, files: [{ file: 'test/notes.md' }] }])
    expect((await test(dir, true)).output.lines.at(-1)).toBe('1 passed, 0 failed, 1 views updated')
    expect(readFileSync(join(dir, 'test/notes.md'), 'utf8')).toContain('1. [one](item:notes[0])')
    expect((await test(dir)).passed).toBe(true)
  })

  it('ends a case at a command that fails, with the place of the error', async () => {
    const page =
      '# One\n\n```aoapp\nexecute add --text boom\nexecute add --text more\n```\n\n```view\nwrong\n```\n'
    const { output } = await test(makeProject({ 'test/notes.md': page }))
    expect(output.lines).toEqual([
      'FAILED test/notes.md: One',
      "    test/notes.md:3: execute add --text boom\n    E_INTERNAL: the app's handler failed: boom",
      expect.stringMatching(/^error: the app's handler failed: boom at main\.mjs:\d+:\d+$/),
      '0 passed, 1 failed',
    ])
  })

  it('says what is wrong with a call', async () => {
    await expect(test(makeProject())).rejects.toThrow(/^no tests: there is no \.md file below /)
    await expect(test(makeProject({ 'test/a.md': '# A\n```aoapp\n' }))).rejects.toThrow(
      'test/a.md: line 2: the block',
    )
  })
})
