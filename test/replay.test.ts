/** `transom replay`, watched as a person watches it: in a terminal, which is a session itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { CLI, TestHome } from './support/test-home.ts'

type Snapshot = Result<'session.snapshot'>

let home: TestHome
let id: string

beforeAll(async () => {
  home = new TestHome()
  id = await home.ok('create', '--name', 'played', '--cols', '50', '--rows', '10', '--', 'sh')
  const run = async (command: string, shown: string) => {
    await home.ok('type', id, command, '--enter')
    await home.ok('wait', id, '--text', shown, '--after-input')
  }
  await run(`printf '\\033]2;evil title\\007\\033[31mred\\033[m'; echo " 1""st"`, 'red 1st')
  await home.ok('mark', id, 'first')
  await home.ok('resize', id, '--cols', '40', '--rows', '8')
  await run('clear; printf "\\033[?1000h\\033[?2004h"; echo 2""nd', '2nd')
  await home.ok('mark', id, 'second')
  await run('echo 3""rd', '3rd')
})

afterAll(async () => home.close())

const look = async (session: string, ...moment: string[]) =>
  home.json<Snapshot>('snapshot', session, ...moment)
const status = (text: string) => ['--text', text, '--timeout', '20000']

/** A session that shows the replay of another one, in a larger terminal. */
async function watch(...flags: string[]): Promise<string> {
  const command = [process.execPath, CLI, 'replay', 'played', ...flags]
  return home.ok(
    'create',
    '--cols',
    '120',
    '--rows',
    '20',
    '--',
    'sh',
    '-c',
    `${command.map((word) => `'${word}'`).join(' ')}; echo "left with $?"; cat`,
  )
}

async function showsThePlaceOf(viewer: string, ...moment: string[]): Promise<void> {
  const wanted = await look(id, ...moment)
  const shown = await look(viewer)
  expect(shown.lines.slice(0, wanted.rows).map(({ text }) => text)).toEqual(
    wanted.lines.map(({ text }) => text),
  )
  expect([shown.cursor.row, shown.cursor.col]).toEqual([wanted.cursor.row, wanted.cursor.col])
}

test('it goes to marks, steps, and leaves the terminal as it was', async () => {
  const viewer = await watch('--paused')
  await home.ok('wait', viewer, ...status('⏸ 0:00'))
  await home.ok('keys', viewer, ']')
  await home.ok('wait', viewer, ...status('‹first›'))
  await showsThePlaceOf(viewer, '--at-mark', 'first')
  await home.ok('keys', viewer, ']')
  await home.ok('wait', viewer, ...status('‹second›'))
  await showsThePlaceOf(viewer, '--at-mark', 'second')
  const { seq } = await look(id, '--at-mark', 'first')
  await home.ok('keys', viewer, '[')
  await home.ok('wait', viewer, '--regex', `seq ${seq} .*‹first›`)
  await home.ok('keys', viewer, 'End')
  await home.ok('wait', viewer, '--text', '3rd')
  await showsThePlaceOf(viewer)
  await home.ok('keys', viewer, ',')
  await home.ok(
    'wait',
    viewer,
    '--regex',
    `^⏸ .*seq (?:${Array.from({ length: 60 }, (_, it) => it + seq).join('|')}) `,
  )
  await home.ok('keys', viewer, '0')
  await home.ok('wait', viewer, '--text', '⏸ 0:00')
  const { modes, title } = await look(viewer)
  expect(modes).toMatchObject({ mouse: 'none', bracketed_paste: false, alt_screen: true })
  expect(title).toBe('') // what the program did to its terminal, it did not do to this one
  await home.ok('keys', viewer, 'q')
  await home.ok('wait', viewer, '--text', 'left with 0')
  const after = await look(viewer)
  expect(after.modes).toMatchObject({ alt_screen: false, autowrap: true })
  expect([after.cursor.visible, after.lines[0]?.text]).toEqual([true, 'left with 0'])
})

test('it plays to the end by itself, faster when asked to, and goes on with a session that does', async () => {
  const viewer = await watch('--speed', '1', '--idle-limit', '10ms')
  await home.ok('wait', viewer, '--text', '3rd')
  await home.ok('wait', viewer, '--text', '⏸')
  await home.ok('keys', viewer, '+', '+')
  await home.ok('wait', viewer, '--text', '4×')
  await home.ok('keys', viewer, '-')
  await home.ok('wait', viewer, '--text', '2×')
  await home.ok('type', id, 'echo 4""th', '--enter')
  await home.ok('wait', id, '--text', '4th')
  await home.ok('keys', viewer, 'Space')
  await home.ok('wait', viewer, '--text', '4th')
  await home.ok('keys', viewer, 'Ctrl+C')
  expect(await home.ok('wait', viewer, '--text', 'left with')).toBe('left with 0')
})

test('it begins where it is told to, and says when there is no such place', async () => {
  const viewer = await watch('--at-mark', 'first', '--paused')
  await home.ok('wait', viewer, '--text', '‹first›')
  await showsThePlaceOf(viewer, '--at-mark', 'first')
  const lost = await watch('--at-mark', 'nowhere')
  await home.ok('wait', lost, '--text', 'left with 66')
  expect((await look(lost)).lines.map(({ text }) => text).join('')).toContain('no mark "nowhere"')
})

test('it fits a smaller terminal, and follows its size', async () => {
  const viewer = await watch('--at-mark', 'first', '--paused')
  await home.ok('wait', viewer, '--text', '‹first›')
  await home.ok('resize', viewer, '--cols', '30', '--rows', '3')
  await home.ok('wait', viewer, '--regex', '^⏸ \\d:\\d\\d/\\d:\\d\\d  seq \\d+  1×  50')
  const [top] = (await look(id, '--at-mark', 'first')).lines
  expect((await look(viewer)).lines[0]?.text).toBe(top?.text.slice(0, 30).trimEnd())
})

test('without a terminal it refuses', async () => {
  const { code, stderr } = await home.run(['replay', 'played'])
  expect([code, stderr]).toEqual([64, expect.stringContaining('plays in a terminal')])
})
