/** The examples, run as their readers would run them. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatewayProcess } from './support/gateway-process.ts'
import { needs } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url))

let home: TestHome
let gateway: GatewayProcess
let overHttp: Record<string, string>

beforeAll(async () => {
  home = new TestHome()
  gateway = await GatewayProcess.start(home)
  overHttp = { TRANSOM_URL: gateway.url, TRANSOM_TOKEN: gateway.token }
})

afterAll(async () => {
  await gateway.close()
  await home.close()
})

async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(command, args, { env: { ...home.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  await new Promise((resolve) => child.on('close', resolve))
  return output.trimEnd()
}

/** Node 20 runs no TypeScript: it is bundled first, as a reader's own tools would. */
async function runTypeScript(example: string, env: NodeJS.ProcessEnv): Promise<string> {
  const outfile = path.join(home.root, `${example}.mjs`)
  const entryPoints = [path.join(EXAMPLES, example)]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' })
  const program = path.join(home.root, 'transom')
  fs.writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, { mode: 0o755 })
  return run(process.execPath, [outfile], { TRANSOM_PROGRAM: program, ...env })
}

async function activeSessions(): Promise<number> {
  return (await home.json<{ sessions: object[] }>('list')).sessions.length
}

describe('the client library', () => {
  test('starts a host where none is, runs a command in a few lines, and ends its session', async () => {
    await using fresh = new TestHome()
    expect(await runTypeScript('run-a-command.ts', fresh.env)).toBe('seven is 42')
    expect(await fresh.json('list')).toMatchObject({ sessions: [] })
  })

  test('does the same through a gateway', async () => {
    expect(await runTypeScript('run-a-command.ts', overHttp)).toBe('seven is 42')
    expect(await activeSessions()).toBe(0)
    const wrong = await runTypeScript('run-a-command.ts', { ...overHttp, TRANSOM_TOKEN: 'wrong' })
    expect(wrong).toContain('this token is not known here')
  })

  test.each(['socket', 'gateway'])('follows a screen until its program ends, over a %s', async (over) => {
    const printed = await runTypeScript('watch-a-session.ts', over === 'gateway' ? overHttp : {})
    expect(printed).toContain('count 3')
    expect(printed.endsWith('ended with 0')).toBe(true)
  })
})

describe('Python', () => {
  needs('python3')('speaks to the host’s socket', async () => {
    await home.startHost()
    expect(await run('python3', [path.join(EXAMPLES, 'unix_socket.py')], {})).toBe('45')
  })

  needs('python3')('speaks to the gateway', async () => {
    expect(await run('python3', [path.join(EXAMPLES, 'http_gateway.py')], overHttp)).toBe(
      'through the gateway',
    )
  })
})

test('every example is run here', () => {
  const source = fs.readFileSync(fileURLToPath(import.meta.url), 'utf8')
  const examples = fs.readdirSync(EXAMPLES).filter((name) => /\.(ts|py)$/.test(name))
  expect(examples.filter((name) => !source.includes(name))).toEqual([])
})
