import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { GatewayProcess } from './support/gateway-process.ts'
import { StdioClient } from './support/mcp-client.ts'
import { CLI, TestHome } from './support/test-home.ts'

test('a password typed with echo off is logged by its length only, and environment values not at all', async () => {
  const home = new TestHome()
  try {
    const ask = 'stty -echo; printf "password: "; read -r p; stty echo; echo; echo "got ${#p}"; sleep 100'
    const id = await home.ok('create', '--env', 'API_KEY=env-s3cret', '--', 'sh', '-c', ask)
    await home.ok('wait', id, '--text', 'password:')
    await home.ok('type', id, 'typed-s3cret', '--enter')
    await home.ok('wait', id, '--text', 'got 12')
    await home.ok('type', id, 'plain text')
    const log = fs.readFileSync(home.logPath(id))
    const encoded = (text: string) => Buffer.from(text).toString('base64').slice(0, 12)
    expect(log.includes('typed-s3cret') || log.includes(encoded('typed-s3cret'))).toBe(false)
    expect(log.includes(encoded('plain text'))).toBe(true)
    const manifest = fs.readFileSync(path.join(path.dirname(home.logPath(id)), 'manifest.json'), 'utf8')
    expect(manifest + log.toString('latin1')).not.toContain('env-s3cret')
  } finally {
    await home.close()
  }
})

test('a session that is made over HTTP has nothing of the environment of the server or the host', async () => {
  const home = new TestHome()
  home.env['API_KEY'] = 'server-s3cret'
  const gateway = await GatewayProcess.start(home)
  try {
    for (const [operation, params] of [
      ['session.create', { name: 'made', command: ['sh', '-c', 'env; echo done $((40 + 2))'] }],
      ['pty.exec_block', { conversation_id: 'talk', command: 'env; echo done $((40 + 2))' }],
    ] as const) {
      const { status, body } = await gateway.call(operation, { ...params })
      expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('s3cret')])
    }
    await home.ok('wait', 'made', '--exit')
    const printed = await home.ok('log', 'export', 'made', '--format', 'text')
    expect(printed).toContain('done 42')
    expect(printed).toContain('PATH=')
    expect(printed).not.toMatch(/s3cret|TRANSOM_HOME/)
  } finally {
    await gateway.close()
    await home.close()
  }
})

/** Takes a line without showing it, in a mode in which the terminal does not tell that it is hidden. */
const takesLine = (prompt: string) =>
  `stty raw -echo; printf '${prompt}'; p=$(dd bs=1 count=8 2>/dev/null); stty sane; echo "got \${#p}"; sleep 100`

/** Whether a session's log, the debug log or what was printed has a text, as it is or in base64. */
function traces(home: TestHome, session: string, text: string, ...printed: string[]): boolean {
  const files = [home.logPath(session), path.join(home.path, 'host-debug.log')]
  const seen = [...files.map((file) => fs.readFileSync(file, 'latin1')), ...printed].join('\n')
  // Base64 of the text at each of the three places where a group of bytes can begin.
  const encoded = [0, 1, 2].map((before) =>
    Buffer.from(' '.repeat(before) + text)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, before === 0 ? 8 : 12),
  )
  return [text, ...encoded].some((form) => seen.includes(form))
}

test('a secret is typed from standard input, by a batch and by MCP, and leaves its length and its actor alone', async () => {
  await using home = new TestHome()
  await home.startHost()
  await home.ok('host', 'debug', 'on')
  const ways: Record<string, (session: string) => Promise<string>> = {
    'standard input': async (session) => {
      const args = [CLI, '--debug', 'type', session, '--secret']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        env: home.env,
        input: 'k3yk3yk3\nanother line',
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, expect.stringContaining('debug: ')])
      return stdout + stderr
    },
    'a batch': async (session) => {
      const script = path.join(home.root, 'script')
      fs.writeFileSync(script, 'type k3yk3yk3 --secret\nwait --text "got 8"')
      return home.ok('batch', session, script)
    },
    MCP: async (session) => {
      const client = await StdioClient.start(home)
      const answer = await client.tool('type_text', { session, text: 'k3yk3yk3', secret: true })
      await client.close()
      return JSON.stringify(answer)
    },
  }
  for (const [way, type] of Object.entries(ways)) {
    const session = await home.ok('create', '--', 'sh', '-c', takesLine('ready> '))
    await home.ok('wait', session, '--text', 'ready>')
    const printed = await type(session)
    await home.ok('wait', session, '--text', 'got 8')
    expect([way, traces(home, session, 'k3yk3yk3', printed)]).toEqual([way, false])
    const log = await home.ok('log', 'export', session, '--format', 'jsonl')
    const inputs = log.split('\n').filter((line) => line.includes('"type":"input"'))
    expect(inputs.map((line) => (JSON.parse(line) as { fields: object }).fields)).toMatchObject([
      { via: 'type', length: 8, data_b64: null, actor: expect.stringContaining('pid') },
    ])
  }
})

test('a password prompt is known by its words where the terminal does not tell', async () => {
  await using home = new TestHome()
  await home.startHost()
  await home.ok('host', 'debug', 'on')
  for (const [prompt, hidden] of [
    ['me@box password: ', true],
    ['your name: ', false],
  ] as const) {
    const session = await home.ok('create', '--', 'sh', '-c', takesLine(prompt))
    await home.ok('wait', session, '--text', prompt.trim())
    await home.ok('type', session, 'k3yk3yk3')
    await home.ok('wait', session, '--text', 'got 8')
    expect([prompt, traces(home, session, 'k3yk3yk3')]).toEqual([prompt, !hidden])
  }
})

test('on a terminal a secret is asked for, and not shown', async () => {
  await using home = new TestHome()
  await home.startHost()
  await home.ok('host', 'debug', 'on')
  const target = await home.ok('create', '--', 'sh', '-c', takesLine('ready> '))
  await home.ok('wait', target, '--text', 'ready>')
  const asking = await home.ok('create', '--', process.execPath, CLI, 'type', target, '--secret')
  await home.ok('wait', asking, '--text', 'secret:')
  await home.ok('type', asking, 'k3yk3yk3', '--enter')
  await home.ok('wait', target, '--text', 'got 8')
  await home.ok('wait', asking, '--exit')
  expect(await home.json('inspect', asking)).toMatchObject({ exit: { code: 0 } })
  for (const session of [target, asking]) expect(traces(home, session, 'k3yk3yk3')).toBe(false)
})
