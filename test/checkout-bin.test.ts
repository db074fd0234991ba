/** `npx transom` in a checkout: npm links the commands when it installs, before anything is built. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { VERSION } from '@transom/protocol'

const BIN = fileURLToPath(new URL('../bin', import.meta.url))

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
}

test('a checkout has every command of the package, as a program that is there without a build', () => {
  const { bin } = manifestOf(BIN)
  const published = manifestOf(fileURLToPath(new URL('../packages/transom', import.meta.url))).bin
  expect(Object.keys(bin).toSorted()).toEqual(Object.keys(published).toSorted())
  for (const [name, file] of Object.entries(bin)) {
    const { mode } = fs.statSync(path.join(BIN, file))
    expect([name, mode & 0o111]).toEqual([name, 0o111])
  }
})

test('it runs the program that was built, under the name it is called by', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'checkout-bin-'))
  try {
    const link = path.join(folder, 'agent-tty')
    fs.symlinkSync(path.join(BIN, 'cli.cjs'), link)
    expect(spawnSync(link, ['version'], { encoding: 'utf8' }).stdout).toContain(VERSION)
    expect(spawnSync(link, ['nope'], { encoding: 'utf8' }).stderr).toMatch(/^agent-tty: unknown command/)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

test('it builds the checkout the first time, and says so on standard error', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'checkout-bin-'))
  try {
    fs.cpSync(BIN, path.join(root, 'bin'), { recursive: true })
    fs.mkdirSync(path.join(root, 'scripts'))
    fs.writeFileSync(
      path.join(root, 'scripts/build.mjs'),
      `import * as fs from 'node:fs'
       console.log('built')
       fs.mkdirSync(new URL('../packages/transom/dist', import.meta.url), { recursive: true })
       fs.writeFileSync(new URL('../packages/transom/dist/cli.cjs', import.meta.url), 'console.log(process.argv[2])')`,
    )
    const run = () => spawnSync(path.join(root, 'bin/cli.cjs'), ['hello'], { encoding: 'utf8' })
    expect(run()).toMatchObject({
      stdout: 'hello\n',
      stderr: expect.stringMatching(/^building .*\nbuilt\n$/),
    })
    expect(run()).toMatchObject({ stdout: 'hello\n', stderr: '' })
  } finally {
    fs.rmSync(root, { recursive: true })
  }
})
