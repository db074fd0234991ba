import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { CLI, TestHome } from './support/test-home.ts'

const GUIDE = fs.readFileSync(new URL('../docs/pictures.md', import.meta.url), 'utf8')

test('the commands of the guide to pictures work as written', async () => {
  const block = /run by test\/screenshot-guide\.test\.ts[^]*?```sh\n([^]*?)```/.exec(GUIDE)?.[1] ?? ''
  expect(block.trim().split('\n').length).toBeGreaterThan(10)
  const home = new TestHome()
  try {
    const bin = path.join(home.root, 'bin')
    fs.mkdirSync(bin)
    fs.symlinkSync(CLI, path.join(bin, 'transom'))
    const env = { ...home.env, PATH: `${bin}:${process.env['PATH']}` }
    await promisify(execFile)('bash', ['-euc', block], { env, cwd: home.root })
    const written = fs.readdirSync(home.root).filter((name) => /\.(?:png|svg)$/.test(name))
    expect(written.toSorted()).toEqual([
      'difference.png',
      'passed.png',
      'piped.png',
      'then.png',
      'work-light.png',
      'work.png',
      'work.svg',
    ])
  } finally {
    await home.close()
  }
})
