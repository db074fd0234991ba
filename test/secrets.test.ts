import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
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
