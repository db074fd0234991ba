import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CLI, TestHome } from './support/test-home.ts'

const README = fs.readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the five minutes of the README work as written', async () => {
  const block = /run by test\/readme\.test\.ts[^]*?```sh\n([^]*?)```/.exec(README)?.[1] ?? ''
  const commands = block.trim().split('\n')
  expect(commands.length).toBeGreaterThan(10)
  const home = new TestHome()
  try {
    const bin = path.join(home.root, 'bin')
    fs.mkdirSync(bin)
    fs.symlinkSync(CLI, path.join(bin, 'transom'))
    const env = { ...home.env, PATH: `${bin}:${process.env['PATH']}` }
    const { stdout } = await promisify(execFile)('bash', ['-euc', block], { env, cwd: home.root })
    expect(stdout).toContain('sum: 42')
    expect(stdout).toMatch(/work +destroyed/)
  } finally {
    await home.close()
  }
})
