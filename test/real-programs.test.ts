import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Snapshot } from '@transom/protocol'
import { afterEach, beforeEach, expect } from 'vitest'
import { needs } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

/** No configuration, history or swap file of whoever runs the tests; not compatible with vi, which reads no function keys. */
const QUIET_VIM = ['-N', '-u', 'NONE', '-i', 'NONE', '-n']

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

async function firstLine(session: string): Promise<string | undefined> {
  return (await home.ok('snapshot', session)).split('\n')[0]
}

/** A file of the lines `line 1` … `line 200`. */
function numberedFile(): string {
  const file = path.join(home.root, 'numbered.txt')
  fs.writeFileSync(file, Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join(''))
  return file
}

/** The program that the terminal of process `pid` sends its signals to. */
function foregroundProgram(pid: number): string | undefined {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  const foreground = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5] // tpgid
  return fs.readFileSync(`/proc/${foreground}/cmdline`, 'utf8').split('\0')[0]
}

needs('less')('arrows, Home and End scroll less, which has set application cursor keys', async () => {
  await home.ok('create', '--name', 'page', '--rows', '11', '--env', 'LESS=', '--', 'less', numberedFile())
  await home.ok('wait', 'page', '--text', 'line 10')
  const { modes } = await home.json<Snapshot>('snapshot', 'page')
  expect(modes).toMatchObject({ alt_screen: true, application_cursor: true })
  await home.ok('keys', 'page', 'Down*3')
  await home.ok('wait', 'page', '--text', 'line 13')
  expect(await firstLine('page')).toBe('line 4')
  await home.ok('keys', 'page', 'Up')
  await home.ok('wait', 'page', '--text', 'line 3\n')
  expect(await firstLine('page')).toBe('line 3')
  await home.ok('keys', 'page', 'End')
  await home.ok('wait', 'page', '--text', 'line 200')
  await home.ok('keys', 'page', 'Home')
  await home.ok('wait', 'page', '--text', 'line 1\n')
  expect(await firstLine('page')).toBe('line 1')
  await home.ok('keys', 'page', 'PageDown')
  await home.ok('wait', 'page', '--text', 'line 20')
  await home.ok('keys', 'page', 'q')
  await home.ok('wait', 'page', '--exit')
  expect(await home.json('inspect', 'page')).toMatchObject({ status: 'exited', exit: { code: 0 } })
})

needs('bash')('Up and Home edit the last command in bash, which has not set them', async () => {
  await home.ok('create', '--name', 'work', '--', 'bash', '--norc')
  await home.ok('type', 'work', 'echo one', '--enter')
  await home.ok('wait', 'work', '--text', 'one\n$', '--after-input')
  expect(await home.json('snapshot', 'work')).toMatchObject({ modes: { application_cursor: false } })
  await home.ok('keys', 'work', 'Up', 'Home', 'Right*4')
  await home.ok('type', 'work', ' twenty-')
  await home.ok('keys', 'work', 'End')
  await home.ok('type', 'work', '!', '--enter')
  await home.ok('wait', 'work', '--regex', '^twenty- one!$')
})

needs('vim')('a file is edited and saved in vim', async () => {
  const file = path.join(home.root, 'notes.txt')
  fs.writeFileSync(file, 'first\nsecond\nthird\n')
  await home.ok('create', '--name', 'edit', '--', 'vim', ...QUIET_VIM, file)
  await home.ok('wait', 'edit', '--text', 'third')
  await home.ok('keys', 'edit', 'Down', 'End', 'a')
  await home.ok('type', 'edit', ' + é — 漢字\nnew line')
  await home.ok('keys', 'edit', 'Home')
  await home.ok('type', 'edit', 'a ')
  await home.ok('keys', 'edit', 'Escape')
  await home.ok('type', 'edit', ':wq', '--enter')
  await home.ok('wait', 'edit', '--exit')
  expect(fs.readFileSync(file, 'utf8')).toBe('first\nsecond + é — 漢字\na new line\nthird\n')
  expect(await home.json('inspect', 'edit')).toMatchObject({ exit: { code: 0, signal: null } })
})

needs('vim')('a new size is seen by a full-screen program that runs', async () => {
  await home.ok('create', '--name', 'edit', '--', 'vim', ...QUIET_VIM)
  await home.ok('wait', 'edit', '--text', 'VIM - Vi IMproved')
  await home.ok('resize', 'edit', '--cols', '100', '--rows', '30')
  await home.ok('type', 'edit', ':echo &columns "x" &lines', '--enter')
  await home.ok('wait', 'edit', '--regex', '^100 x 30', '--after-input')
  await home.ok('resize', 'edit', '--rows', '12')
  await home.ok('type', 'edit', ':echo &columns "x" &lines', '--enter')
  await home.ok('wait', 'edit', '--regex', '^100 x 12', '--after-input')
  expect(await home.json('snapshot', 'edit')).toMatchObject({ cols: 100, rows: 12 })
})

needs('less')('a new size makes less redraw its page', async () => {
  await home.ok('create', '--name', 'page', '--rows', '11', '--', 'less', numberedFile())
  await home.ok('wait', 'page', '--text', 'line 10')
  await home.ok('resize', 'page', '--rows', '21')
  await home.ok('wait', 'page', '--text', 'line 20')
  expect(await firstLine('page')).toBe('line 1')
})

needs('python3')('a python REPL computes', async () => {
  await home.ok('create', '--name', 'calc', '--env', 'PYTHONSTARTUP=', '--', 'python3', '-q')
  await home.ok('wait', 'calc', '--text', '>>>')
  await home.ok('type', 'calc', '2**100', '--enter')
  expect(await home.ok('wait', 'calc', '--text', '1267650600228229401496703205376')).toBe(
    '1267650600228229401496703205376',
  )
  await home.ok('type', 'calc', 'print("same")', '--enter')
  expect(await home.ok('wait', 'calc', '--text', 'same', '--after-input')).toBe('same')
  await home.ok('keys', 'calc', 'Ctrl+D')
  await home.ok('wait', 'calc', '--exit')
  expect(await home.json('inspect', 'calc')).toMatchObject({ exit: { code: 0, signal: null } })
})

needs('htop')('htop quits with F10 and exits with 0', async () => {
  const config = path.join(home.root, 'htoprc')
  await home.ok('create', '--name', 'top', '--env', `HTOPRC=${config}`, '--', 'htop')
  await home.ok('wait', 'top', '--text', 'F10')
  expect(await home.json('snapshot', 'top')).toMatchObject({ modes: { alt_screen: true } })
  await home.ok('keys', 'top', 'F10')
  await home.ok('wait', 'top', '--exit')
  expect(await home.json('inspect', 'top')).toMatchObject({
    status: 'exited',
    exit: { code: 0, signal: null },
  })
})

needs('bash')('Ctrl+C interrupts a program and the shell goes on', async () => {
  await home.ok('create', '--name', 'work', '--', 'bash', '--norc')
  await home.ok('type', 'work', 'sleep 86400', '--enter')
  const { pid } = await home.json<{ pid: number }>('inspect', 'work')
  await until('sleep has the terminal', () => foregroundProgram(pid) === 'sleep')
  await home.ok('keys', 'work', 'Ctrl+C')
  await home.ok('wait', 'work', '--text', '^C', '--after-input')
  await home.ok('type', 'work', 'echo "status $?"', '--enter')
  expect(await home.ok('wait', 'work', '--text', 'status 130', '--after-input')).toBe('status 130')
})
