import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CLI, TestHome } from './support/test-home.ts'

const README = fs.readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test('the first commands of the README work as written: a question is reported, and answered', async () => {
  const [first = ''] = /```sh\n([^]*?)```/.exec(README) ?? []
  const [install, ...commands] = first.split('\n').slice(1, -1)
  expect(install).toMatch(/^npm install -g transom\b/)
  await inHome(async (env, cwd) => {
    const { stdout, stderr } = await promisify(execFile)('bash', ['-uc', commands.join('\n')], { env, cwd })
    expect(stderr).toContain('package name:')
    expect(stdout).toMatch(/package name: .*my-package\nversion: /)
  })
})

test('the five minutes of the README work as written', async () => {
  const block = /run by test\/readme\.test\.ts[^]*?```sh\n([^]*?)```/.exec(README)?.[1] ?? ''
  const commands = block.trim().split('\n')
  expect(commands.length).toBeGreaterThan(10)
  await inHome(async (env, cwd) => {
    const { stdout } = await promisify(execFile)('bash', ['-euc', block], { env, cwd })
    expect(stdout).toContain('sum: 42')
    expect(stdout).toMatch(/work +destroyed/)
  })
})

/** With a Home of its own, and `transom` on the PATH. */
async function inHome(check: (env: NodeJS.ProcessEnv, cwd: string) => Promise<void>): Promise<void> {
  const home = new TestHome()
  try {
    const bin = path.join(home.root, 'bin')
    fs.mkdirSync(bin)
    fs.symlinkSync(CLI, path.join(bin, 'transom'))
    await check({ ...home.env, PATH: `${bin}:${process.env['PATH']}` }, home.root)
  } finally {
    await home.close()
  }
}
