/** Every command line that a reader may copy can be parsed by this version: skills, guides, READMEs, help. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { firstCommands, programExamples } from '../packages/transom/src/surfaces/cli/help.ts'
import { LOCAL_COMMANDS } from '../packages/transom/src/surfaces/cli/local-commands.ts'
import { parseArgv } from '../packages/transom/src/surfaces/cli/parse-argv.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const commands = [...commandTable(), ...LOCAL_COMMANDS]

const guides = ['.', 'docs', 'examples', 'packages/transom', 'packages/transom/skills'].flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder))
    .filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md') // it tells what was
    .map((file) => path.join(folder, file)),
)

test.each(guides)('the command lines of %s are understood', (file) => {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8')
  for (const line of blockLines(text)) expect([line, problemOf(wordsOf(line))]).toEqual([line, null])
  for (const line of inlineLines(text)) expect([line, inlineProblem(line)]).toEqual([line, null])
})

test('the guides have command lines', () => {
  const lines = guides.flatMap((file) => blockLines(fs.readFileSync(path.join(ROOT, file), 'utf8')))
  expect(lines.length).toBeGreaterThan(100)
})

test.each([
  ...programExamples('transom'),
  ...firstCommands('transom'),
  ...commands.flatMap(({ examples }) => examples),
])('%s, in the help, is understood', (line) => {
  expect(problemOf(wordsOf(line))).toBe(null)
})

test('what the descriptions in the help quote is understood', () => {
  const lines = commands.flatMap(({ description }) => quotedLines(description))
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) expect([line, inlineProblem(line)]).toEqual([line, null])
})

/** In a sentence arguments may be left out, and N stands for a number: the command and its options are checked. */
function inlineProblem(line: string): string | null {
  const [, ...words] = wordsOf(line)
  return problemOf(['transom', '--help', ...words.map((word) => (word === 'N' ? '1' : word))])
}

function problemOf([, ...argv]: readonly string[]): string | null {
  try {
    parseArgv(argv, commands, { env: {}, cwd: '/here', readText: () => '', public: true })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Lines of code blocks that call the program, with what continues them. */
function blockLines(text: string): string[] {
  const blocks = [
    ...text.matchAll(/^```(?:sh|bash|text)\n([^]*?)^```/gm),
    ...text.matchAll(/((?:^ {4}transom .*\n)+)/gm),
  ]
  return blocks.flatMap(([, code = '']) =>
    code
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /^(?:transom|agent-tty) /.test(line)),
  )
}

function inlineLines(text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, '')
  return [...prose.matchAll(/`((?:transom|agent-tty) [^`]+)`/g)].map(([, line = '']) =>
    line.replaceAll(/\s+/g, ' '),
  )
}

function quotedLines(text: string): string[] {
  return [...text.matchAll(/"(transom [^"]+)"/g)].map(([, line = '']) => line)
}

/** The words of the first command of a line, as a shell splits them; comments and what is piped are left out. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [token, single, double] of line.matchAll(
    /(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|[^\s'"|&;<>]|(?<=\S)[&;])+|[|&;<>]+|#.*/g,
  )) {
    if (/^(?:[|&;<>]+|#.*)$/.test(token)) break
    words.push(
      single === undefined && double === undefined ? token : token.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'),
    )
  }
  return words
}
