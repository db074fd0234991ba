/** `transom attach`, on the terminal of a session of its own: what a person sees and types there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI, TestHome } from './support/test-home.ts'

const LEAVE = ['Ctrl+]', 'd']

let home: TestHome
let count = 0

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => home.close())

async function createShell(...options: string[]): Promise<string> {
  const id = await home.ok('create', ...options, '--', 'bash', '--norc')
  await home.ok('run', id, '--', 'echo inside')
  return id
}

/** A person's terminal with an attach on it; returns the name of its session. */
async function attach(
  session: string,
  size: { cols: number; rows: number },
  ...options: string[]
): Promise<string> {
  const person = `person-${++count}`
  const shown = ['--cols', String(size.cols), '--rows', String(size.rows)]
  const command = [process.execPath, CLI, 'attach', session, ...options]
  await home.ok(
    'create',
    '--name',
    person,
    ...shown,
    '--',
    'sh',
    '-c',
    `trap : TERM; "$@"; echo "left with $?"; cat`,
    'sh',
    ...command,
  )
  return person
}

test('shows a session as it changes, and types nothing into it', async () => {
  const id = await createShell()
  const person = await attach(id, { cols: 80, rows: 25 })
  await home.ok('wait', person, '--text', 'inside', '--text', 'read-only')
  await home.ok('run', id, '--', 'echo from the agent')
  await home.ok('wait', person, '--text', 'from the agent')
  await home.ok('type', person, 'x')
  await home.ok('wait', person, '--text', 'Ctrl+] w to write')
  await home.ok('keys', person, ...LEAVE)
  await home.ok('wait', person, '--text', 'detached; the session goes on', '--text', 'left with 0')
  expect(await home.ok('run', id, '--', 'echo unharmed')).toBe('unharmed')
})

test('with --write a person steps in, an agent is refused, and goes on after they left', async () => {
  const id = await createShell()
  const person = await attach(id, { cols: 80, rows: 25 }, '--write')
  await home.ok('wait', person, '--text', 'writing')
  expect((await home.run(['type', id, 'x'])).stderr).toContain('(person)')
  await home.ok('type', person, 'echo "typed by $((40 + 2))"')
  await home.ok('keys', person, 'Enter')
  await home.ok('wait', id, '--text', 'typed by 42')
  await home.ok('paste', person, 'echo pasted')
  await home.ok('keys', person, 'Enter')
  await home.ok('wait', id, '--regex', '(?m)^pasted')
  await home.ok('keys', person, ...LEAVE)
  await home.ok('wait', person, '--text', 'left with 0')
  expect(await home.ok('run', id, '--', 'echo back')).toBe('back')
})

test('a session that another caller holds is watched, and written to only by a takeover', async () => {
  const id = await createShell()
  await home.ok('lease', 'take', id)
  const refused = await attach(id, { cols: 80, rows: 25 }, '--write')
  await home.ok('wait', refused, '--text', 'is held by', '--text', 'left with 69')
  const person = await attach(id, { cols: 80, rows: 25 })
  await home.ok('wait', person, '--text', 'read-only')
  await home.ok('keys', person, 'Ctrl+]', 'w')
  await home.ok('wait', person, '--text', 'is held by')
  await home.ok('keys', person, 'Ctrl+]', 'W')
  await home.ok('wait', person, '--text', 'writing')
  await home.ok('keys', person, 'Ctrl+]', 'w')
  await home.ok('wait', person, '--text', 'read-only')
  expect(await home.json('lease', 'status', id)).toMatchObject({ holder: null })
})

test('a larger session is cut off and moved, and keeps its size unless that is asked for', async () => {
  const id = await createShell('--cols', '120', '--rows', '40')
  await home.ok('run', id, '--', 'clear; seq 1 30; printf "%100s|end" ""')
  const person = await attach(id, { cols: 40, rows: 10 })
  await home.ok('wait', person, '--regex', '(?m)^1$')
  expect(await home.ok('snapshot', person)).not.toContain('|end')
  await home.ok('keys', person, 'PageDown*3', 'End*10')
  await home.ok('wait', person, '--text', '|end')
  expect(await home.json('inspect', id)).toMatchObject({ cols: 120, rows: 40 })
  await home.ok('keys', person, 'Ctrl+]', 'w')
  await home.ok('wait', person, '--text', 'writing')
  await home.ok('keys', person, 'Ctrl+]', 'r')
  await home.ok('wait', person, '--text', '40x9')
  expect(await home.json('inspect', id)).toMatchObject({ cols: 40, rows: 9 })
})

test('nothing that a program prints reaches the terminal but its cells', async () => {
  const id = await createShell()
  const person = await attach(id, { cols: 80, rows: 25 })
  await home.ok('wait', person, '--text', 'read-only')
  await home.ok(
    'run',
    id,
    '--',
    String.raw`printf '\033]0;owned\007\033]52;c;eHg=\007\033[?1000h\033[5nplain'`,
  )
  await home.ok('wait', person, '--text', 'plain')
  const { title, bells } = await home.json<{ title: string; bells: number }>('snapshot', person)
  expect({ title, bells }).toEqual({ title: '', bells: 0 })
  await home.ok('keys', person, ...LEAVE)
  await home.ok('wait', person, '--text', 'left with 0')
  const raw = await home.ok('log', 'export', person, '--format', 'raw')
  expect(raw).not.toContain('\u001b]')
})

test('the end of the session, and a signal, give the terminal back', async () => {
  const id = await createShell()
  const ended = await attach(id, { cols: 80, rows: 25 })
  const signalled = await attach(id, { cols: 80, rows: 25 }, '--write')
  await home.ok('wait', ended, '--text', 'read-only')
  await home.ok('wait', signalled, '--text', 'writing')
  await home.ok('signal', signalled, 'TERM')
  await home.ok('wait', signalled, '--text', 'left with')
  expect(await home.json('snapshot', signalled)).toMatchObject({ modes: { alt_screen: false } })
  await home.ok('wait', id, '--writable')
  await home.ok('destroy', id)
  await home.ok('wait', ended, '--text', 'the session has ended', '--text', 'left with 0')
  expect(await home.json('snapshot', ended)).toMatchObject({ modes: { alt_screen: false } })
})

test('without a terminal it is refused, with what to use instead', async () => {
  const id = await createShell()
  const { code, stderr } = await home.run(['attach', id])
  expect(code).toBe(64)
  expect(stderr).toContain('transom snapshot')
})
