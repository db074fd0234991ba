import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needs } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

/** A program that shows every byte it reads, after having printed `sequences`. */
async function byteViewer(sequences: string): Promise<string> {
  const script = `stty raw -echo; printf '${sequences}ready'; exec od -An -c -v -w1`
  const id = await home.ok('create', '--rows', '40', '--', 'sh', '-c', script)
  await home.ok('wait', id, '--text', 'ready')
  return id
}

describe('a paste', () => {
  test('is marked only when the program asked for it, and nothing gets out of it', async () => {
    const id = await byteViewer('\\033[?2004h')
    expect(await home.json('paste', id, 'a\x1b[201~b')).toMatchObject({ bracketed: true })
    await home.ok(
      'wait',
      id,
      '--regex',
      String.raw`033\n *\[\n *2\n *0\n *0\n *~\n *a\n *b\n *033\n *\[\n *2\n *0\n *1\n *~`,
    )
    const plain = await byteViewer('')
    expect(await home.json('paste', plain, 'ab')).toMatchObject({ bracketed: false })
    await home.ok('wait', plain, '--regex', String.raw`ready *a\n *b$`)
  })

  test('comes from a file or from standard input', async () => {
    const file = path.join(home.root, 'text')
    fs.writeFileSync(file, 'from a file\n')
    const id = await home.ok('create', '--', 'cat')
    await home.ok('paste', id, '--file', file)
    await home.ok('wait', id, '--regex', 'from a file\nfrom a file')
    await home.ok('type', id, '--file', file)
    const missing = await home.run(['paste', id, '--file', `${file}.not`])
    expect([missing.code, missing.stderr]).toEqual([66, expect.stringContaining('text.not')])
  })

  test('of bytes that are not UTF-8 is refused, not changed into other characters', async () => {
    const id = await home.ok('create', '--', 'cat')
    const file = path.join(home.root, 'latin1')
    fs.writeFileSync(file, Buffer.from('caf\xe9\n', 'latin1'))
    for (const command of ['paste', 'type']) {
      const { code, stderr } = await home.run([command, id, '--file', file])
      expect([code, stderr]).toEqual([66, expect.stringMatching(/latin1.*not UTF-8 text \(at byte 3\)/)])
    }
    const script = `"$0" "$1" type "$2" "$(cat ${file})"`
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, CLI, id], {
      env: home.env,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([64, expect.stringMatching(/argument 3.*not UTF-8/)])
    expect(await home.ok('snapshot', id)).toBe('')
  })
})

describe('a signal', () => {
  test('reaches the program in front, and the shell only when asked for', async () => {
    const id = await home.ok('create', '--', 'bash', '--norc', '-i')
    await home.ok('type', id, 'trap "echo shell got it" USR1', '--enter')
    await home.ok(
      'type',
      id,
      'sh -c \'trap "echo front got it" INT; while :; do sleep 0.05; done\'',
      '--enter',
    )
    await home.ok('wait', id, '--idle-ms', '200')
    await home.ok('signal', id, 'INT')
    await home.ok('wait', id, '--regex', '^(\\^C)?front got it')
    await home.ok('signal', id, 'KILL')
    await home.ok('wait', id, '--text', 'Killed')
    await home.ok('signal', id, 'USR1', '--to', 'leader')
    await home.ok('keys', id, 'Enter') // bash runs a trap once its line editor returns
    await home.ok('wait', id, '--regex', '^.*shell got it$')
    expect((await home.run(['signal', id, 'NOPE'])).code).toBe(64)
  })
})

test('a program that ends with its terminal stopped and full of input ends alone', async () => {
  const other = await home.ok('create', '--', 'cat')
  const script = 'stty -icanon -echo ixon; printf ready; exec sleep 1000'
  const id = await home.ok('create', '--', 'sh', '-c', script)
  await home.ok('wait', id, '--text', 'ready')
  const { pid } = home.host()
  await home.ok('keys', id, 'ctrl+s')
  const file = path.join(home.root, 'much')
  fs.writeFileSync(file, `${'x'.repeat(70)}\n`.repeat(4000))
  await home.ok('type', id, '--file', file)
  await home.ok('signal', id, 'KILL')
  await home.ok('wait', id, '--exit')
  expect(home.host().pid).toBe(pid)
  expect(await home.json('inspect', other)).toMatchObject({ status: 'running' })
})

describe('the mouse', () => {
  test('clicks at a cell or at a text, when the program asked for it', async () => {
    const id = await byteViewer('\\033[?1000h\\033[?1006h')
    expect(await home.json('mouse', id, 'click', '--at', '3,4')).toMatchObject({ row: 3, col: 4 })
    await home.ok('wait', id, '--regex', String.raw`<\n *0\n *;\n *5\n *;\n *4\n *M`)
    expect(await home.json('mouse', id, 'click', '--text', 'ready')).toMatchObject({ row: 0, col: 2 })
  })

  test('is refused with a reason where it cannot be meant', async () => {
    const id = await home.ok('create', '--', 'cat')
    const refused = await home.run(['mouse', id, 'click', '--at', '1,1'])
    expect([refused.code, refused.stderr]).toEqual([
      69,
      expect.stringContaining('has not asked for the mouse'),
    ])
    expect((await home.run(['mouse', id, 'click', '--text', 'nowhere'])).code).toBe(66)
    expect((await home.run(['mouse', id, 'click', '--at', '99,1'])).code).toBe(64)
    expect((await home.run(['mouse', id, 'click'])).code).toBe(64)
    expect((await home.run(['mouse', id, 'drag', '--at', '1,1'])).code).toBe(64)
  })

  needs('dialog')('presses the button of a dialog by its text', async () => {
    const id = await home.ok('create', '--', 'dialog', '--yesno', 'Go on?', '7', '40')
    await home.ok('wait', id, '--text', '< No  >')
    await home.ok('mouse', id, 'click', '--text', 'No')
    await home.ok('wait', id, '--exit')
    expect(await home.json('inspect', id)).toMatchObject({ exit: { code: 1 } })
  })

  needs('mc')('selects a row of a file manager', async () => {
    fs.mkdirSync(path.join(home.root, 'files'))
    for (const name of ['alpha', 'beta', 'gamma']) fs.writeFileSync(path.join(home.root, 'files', name), name)
    const id = await home.ok(
      'create',
      '--cwd',
      path.join(home.root, 'files'),
      '--',
      'mc',
      '--nosubshell',
      '.',
      '.',
    )
    await home.ok('wait', id, '--text', 'gamma', '--screen-stable-ms', '200')
    await home.ok('mouse', id, 'click', '--text', 'beta')
    await home.ok('keys', id, 'F3')
    await home.ok('wait', id, '--regex', '^beta')
  })
})
