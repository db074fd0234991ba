/** What the program teaches agents about itself must be true of this version. */
import { execFile, execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ERROR_TABLE, OPERATIONS, mcpTools, type OperationDefinition } from '@transom/protocol'
import { StdioClient } from './support/mcp-client.ts'
import { needs } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => {
  await home.close()
})

test('every skill is listed and printed, and no other', async () => {
  const folder = fileURLToPath(new URL('../packages/transom/skills', import.meta.url))
  const { skills } = await home.json<{ skills: { skill: string }[] }>('skills', 'list')
  expect(skills.map(({ skill }) => `${skill}.md`).toSorted()).toEqual(fs.readdirSync(folder).toSorted())
  for (const { skill } of skills) expect(await home.ok('skills', 'get', skill)).toMatch(/^# /m)
  const missing = await home.run(['skills', 'get', 'nothing'])
  expect([missing.code, missing.stderr]).toEqual([64, expect.stringContaining('transom, mcp, setup')])
})

test('the skill for an agent with a shell is the first, has front matter, and --help announces it at its top', async () => {
  const text = await home.ok('skills', 'get')
  expect(text).toMatch(/^---\nname: transom\ndescription: .{50,}\n---\n\n# /)
  expect(text).not.toMatch(/MCP|run_command|wait_for|read_screen/)
  for (const wanted of [
    'transom run ',
    'transom exec ',
    '--needs-input',
    'transom batch ',
    'transom screenshot ',
  ])
    expect(text).toContain(wanted)
  const help = await home.ok('--help')
  expect(help.split('\n')[1]).toContain('transom skills get transom')
})

needs('vim', 'python3')('the commands of the skill work as written, one after another', async () => {
  const text = await home.ok('skills', 'get', 'transom')
  const script = [...text.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block]) => block).join('\n')
  const bin = path.join(home.root, 'skill-bin')
  fs.mkdirSync(bin)
  fs.symlinkSync(CLI, path.join(bin, 'transom'))
  const env = { ...home.env, PATH: `${bin}:${process.env['PATH']}` }
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env, cwd: home.root })
  expect(stdout).toContain('\n42\n')
  expect(fs.readFileSync(path.join(home.root, 'notes.txt'), 'utf8')).toBe('written by an agent\n')
  expect(fs.readFileSync(path.join(home.root, 'work.txt'), 'utf8')).toContain('hello agent')
})

test('without a command, a Home without sessions is shown what to begin with', async () => {
  const empty = new TestHome()
  try {
    const { code, stdout } = await empty.run([])
    expect(code).toBe(64)
    expect(stdout).toContain(
      "  transom create --name work -- bash\n  transom run work -- 'cd /tmp && ls -l'\n  transom snapshot work\n",
    )
    expect(stdout.split('\n').length).toBeLessThan(12)
    expect(fs.existsSync(empty.path)).toBe(false) // nothing is made for a look
  } finally {
    await empty.close()
  }
})

test('skills speak of tools, parameters and errors that there are', async () => {
  const operations = Object.values<OperationDefinition>(OPERATIONS)
  const known = new Set([
    ...operations.flatMap((it) => mcpTools(it).map(({ name }) => name)),
    ...operations.flatMap(({ params }) => Object.keys(params.shape)),
    ...Object.keys(ERROR_TABLE),
  ])
  for (const skill of ['transom', 'mcp']) {
    const text = await home.ok('skills', 'get', skill)
    const named = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map((match) => match[1] ?? '')
    expect([skill, named.filter((name) => !known.has(name))]).toEqual([skill, []])
  }
})

interface Server {
  readonly command: string
  readonly args: readonly string[]
}

/** What stands behind a client's name in the guide. */
async function setupOf(client: string): Promise<string> {
  const text = await home.ok('skills', 'get', 'setup')
  const [, indented = ''] =
    new RegExp(`^${client}[^\\n]*:\\n\\n((?:    [^\\n]*\\n|\\n)+)`, 'm').exec(text) ?? []
  expect([client, indented]).not.toEqual([client, ''])
  return indented.replaceAll(/^    /gm, '').trim()
}

/** The words that a program is given by a command line, as the shell splits it. */
function wordsOf(program: string, line: string): string[] {
  expect(line.startsWith(`${program} `)).toBe(true)
  const script = `show() { for word; do printf '%s\\0' "$word"; done; }\nshow${line.slice(program.length)}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

/** How each client is told to start the server, read the way that client reads it. */
const SETUPS: Readonly<Record<string, (text: string) => Server>> = {
  'Claude Code': (text) => {
    const [mcp, add, name, dashes, command = '', ...args] = wordsOf('claude', text)
    expect([mcp, add, name, dashes]).toEqual(['mcp', 'add', 'transom', '--'])
    return { command, args }
  },
  Codex: (text) => {
    const script = 'import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))'
    const json = execFileSync('python3', ['-c', script], { input: text, encoding: 'utf8' })
    return (JSON.parse(json) as { mcp_servers: { transom: Server } }).mcp_servers.transom
  },
  'Gemini CLI': (text) => {
    const [mcp, add, name, command = '', ...args] = wordsOf('gemini', text)
    expect([mcp, add, name]).toEqual(['mcp', 'add', 'transom'])
    return { command, args }
  },
  'VS Code': (text) => {
    const [option, json = ''] = wordsOf('code', text)
    expect(option).toBe('--add-mcp')
    return JSON.parse(json) as Server
  },
  Cursor: (text) => (JSON.parse(text) as { mcpServers: { transom: Server } }).mcpServers.transom,
}

needs('python3')('the lines for each client start a server that answers, as they are written', async () => {
  const bin = path.join(home.root, 'bin')
  fs.mkdirSync(bin)
  fs.symlinkSync(CLI, path.join(bin, 'transom')) // as an installation has it
  const env = { ...home.env, PATH: `${bin}:${process.env['PATH']}` }
  for (const [client, read] of Object.entries(SETUPS)) {
    const { command, args } = read(await setupOf(client))
    const server = StdioClient.run(home, command, args, env)
    const { serverInfo } = await server.initialize()
    const { tools } = (await server.request('tools/list')) as { tools: { name: string }[] }
    await server.close()
    expect([client, serverInfo, tools.map(({ name }) => name)]).toEqual([
      client,
      expect.objectContaining({ name: 'transom' }),
      expect.arrayContaining(['create_session', 'read_screen']),
    ])
  }
  const text = await home.ok('skills', 'get', 'setup')
  const named = [...text.matchAll(/^([A-Z][\w ]+?)(?: \(`[^`]+`\))?:$/gm)].map((match) => match[1])
  expect(named).toEqual(Object.keys(SETUPS)) // none without a test
})
