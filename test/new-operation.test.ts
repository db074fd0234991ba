/** An operation is one entry of the table and one handler: every surface has it then, and no other file is touched. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildAll, importSource } from '../scripts/build.mjs'
import { GatewayProcess } from './support/gateway-process.ts'
import { StdioClient, type Tool } from './support/mcp-client.ts'
import { TestHome } from './support/test-home.ts'

const ENTRY = `
  'session.count_words': operation({
    summary: 'Count the words that a session shows.',
    description: 'A word is what stands between blanks.',
    params: z.object({
      session: sessionRef,
      of: z.enum(['screen', 'title']).default('screen').describe('Where to look.'),
    }),
    result: z.object({ session: z.string(), words: z.int(), longest: untrusted(z.string()) }),
    errors: ['session_not_found', 'session_ambiguous'],
    readOnly: true,
    access: LOOKS,
    mcp: { name: 'count_words' },
    cli: { command: 'count-words', positionals: ['session'], examples: ['transom count-words work'] },
  }),
} as const
`

const HANDLER = `
    'session.count_words': async ({ session, of }, context) => {
      const { title, lines, session: id } = await handlers['session.snapshot']({ session }, context)
      const text = of === 'title' ? title : lines.map((line) => line.text).join(' ')
      const words = text.split(/\\s+/).filter(Boolean)
      const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? ''
      return { session: id, words: words.length, longest }
    },
    'host.status': () => control.status(),`

const edits = {
  'packages/protocol/src/operations/session-view.ts': (text: string) => text.replace(/} as const\s*$/, ENTRY),
  'packages/transom/src/host/handlers.ts': (text: string) =>
    text.replace("    'host.status': () => control.status(),", HANDLER),
}

let dist: string
let home: TestHome
let session: string

beforeAll(async () => {
  // Within the project, where the native parts are found.
  dist = fs.mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.new-operation-'))
  await buildAll({ dist, edits })
  home = new TestHome()
  session = await transom('create', '--name', 'work', '--', 'sh', '-c', 'echo two unbelievable; cat')
  await transom('wait', 'work', '--text', 'unbelievable')
})

afterAll(async () => {
  await home.close()
  fs.rmSync(dist, { recursive: true, force: true })
})

async function transom(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await home.run(args, { program: path.join(dist, 'cli.cjs') })
  if (code !== 0) throw new Error(`transom ${args.join(' ')} exited with ${code}: ${stderr}`)
  return stdout.trimEnd()
}

test('the CLI has its command and prints its result', async () => {
  expect(await transom('count-words', 'work')).toBe(
    [`session  ${session}`, 'words    2', 'longest  unbelievable'].join('\n'),
  )
  expect(JSON.parse(await transom('count-words', 'work', '--of', 'title', '--json'))).toEqual({
    session,
    words: 0,
    longest: '',
  })
})

test('completion proposes the command, its options, their values and sessions', async () => {
  expect(await transom('__complete', 'fish', 'coun')).toBe(
    'count-words\tCount the words that a session shows.',
  )
  expect(await transom('__complete', 'bash', 'count-words', '--o')).toBe('--of')
  expect(await transom('__complete', 'bash', 'count-words', 'work', '--of', 't')).toBe('title')
  expect(await transom('__complete', 'bash', 'count-words', 'wo')).toBe('work')
})

test('help and the manual page explain it', async () => {
  expect(await transom('--help')).toContain('Count the words that a session shows.')
  const help = await transom('help', 'count-words')
  for (const words of ['transom count-words work', 'A word is what stands between blanks.', '--of OF'])
    expect(help).toContain(words)
  expect(await transom('help', '--man')).toContain('count\\-words SESSION')
})

test('JSON-RPC serves it and checks its parameters', async () => {
  const client = await home.connect()
  expect(await client.request('session.count_words', { session })).toMatchObject({ words: 2 })
  await expect(client.request('session.count_words', { session, of: 'nothing' })).rejects.toMatchObject({
    code: 'usage',
  })
  client.close()
})

test('HTTP serves it and OpenAPI describes it', async () => {
  const gateway = await GatewayProcess.run(home, path.join(dist, 'cli.cjs'))
  try {
    const { status, text } = await gateway.ask('/v1/session.count_words', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session: 'work' }),
    })
    expect([status, JSON.parse(text)]).toEqual([200, { session, words: 2, longest: 'unbelievable' }])
    expect(JSON.parse((await gateway.ask('/openapi.json')).text)).toMatchObject({
      paths: { '/v1/session.count_words': { post: { summary: 'Count the words that a session shows.' } } },
    })
  } finally {
    await gateway.close()
  }
})

test('MCP offers it as a tool that changes nothing, and keeps what a program wrote apart', async () => {
  const client = StdioClient.run(home, process.execPath, [path.join(dist, 'cli.cjs'), 'mcp'])
  try {
    await client.initialize()
    const { tools } = (await client.request('tools/list')) as unknown as { tools: Tool[] }
    expect(tools.find(({ name }) => name === 'count_words')).toMatchObject({
      title: 'count words',
      description: 'Count the words that a session shows.',
      annotations: { readOnlyHint: true },
    })
    const { content, structuredContent } = await client.tool('count_words', { session: 'work' })
    expect(structuredContent).toEqual({ session, words: 2, longest: { untrusted_output: 'unbelievable' } })
    expect(content[0]?.text).toMatch(
      /"longest":"see output 1"}[^]*<untrusted-output id="\w+">\nunbelievable\n/,
    )
  } finally {
    await client.close()
  }
})

test('the documentation has it', async () => {
  const { operationsDocument } = (await importSource(
    'packages/protocol/src/operations-document.ts',
    edits,
  )) as { operationsDocument: () => string }
  expect(operationsDocument()).toContain('## `session.count_words`')
})
