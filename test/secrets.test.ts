import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { GatewayProcess } from './support/gateway-process.ts'
import { TestHome } from './support/test-home.ts'

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
