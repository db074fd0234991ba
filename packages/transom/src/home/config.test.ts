import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { readConfig } from './config.ts'
import { Home } from './home.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-config-'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const read = (text: string) => {
  fs.writeFileSync(path.join(folder, 'config.json'), text)
  return readConfig(Home.at(folder))
}

const refusal = (text: string): OpError => {
  try {
    read(text)
  } catch (error) {
    if (error instanceof OpError) return error
    throw error
  }
  throw new Error(`${text} was taken`)
}

test('without a file, or with an empty object, the defaults hold', () => {
  const defaults = {
    session: { cols: 80, rows: 24, idle_timeout_ms: null },
    host: { idle_ms: 60_000 },
    log: { segment_bytes: 64 * 2 ** 20 },
    quota: { session_bytes: 2 ** 30, home_bytes: 20 * 2 ** 30, policy: 'pause' },
  }
  expect(readConfig(Home.at(folder))).toEqual(defaults)
  expect(read('{}')).toEqual(defaults)
  expect(read('{"session": {"rows": 50}}')).toEqual({
    ...defaults,
    session: { ...defaults.session, rows: 50 },
  })
})

test.each([
  ['{"session": {"cols": 1}}', 'session.cols', '(got 1)'],
  ['{"session": {"cols": "wide"}}', 'session.cols', '(got "wide")'],
  ['{"session": {"rows": 1001}}', 'session.rows', '(got 1001)'],
  ['{"session": {"rows": 24.5}}', 'session.rows', '(got 24.5)'],
  [
    '{"session": {"colums": 80}}',
    'session.colums',
    'the keys are session.cols, session.rows, session.idle_timeout_ms, host.idle_ms',
  ],
  ['{"sesion": {"cols": 80}}', 'sesion', '(got {"cols":80})'],
  ['{"session": null}', 'session', '(got null)'],
  ['{"host": {"idle_ms": 0}}', 'host.idle_ms', '(got 0)'],
  ['{"host": {"idle_ms": 3000000000}}', 'host.idle_ms', '(got 3000000000)'],
])('%s is refused by key and value', (text, key, words) => {
  const { code, message, details } = refusal(text)
  expect(code).toBe('config_invalid')
  expect(message).toContain(path.join(folder, 'config.json'))
  expect(message).toContain(`${key}: `)
  expect(message).toContain(words)
  expect(message).toContain('Correct or remove it')
  expect(details).toMatchObject({ problems: [{ key }] })
})

test.each(['', '{', 'null', '[]', '"text"'])('what is no object is refused: %j', (text) => {
  expect(refusal(text).code).toBe('config_invalid')
})

test('one error reports all problems', () => {
  const { message } = refusal('{"session": {"cols": 0, "rows": 0}, "x": 1}')
  expect(message).toMatch(/session\.cols: [^]*session\.rows: [^]*x: unknown key/)
})

test('a value that is nested too deeply to be shown is refused like any other', () => {
  const nested = '['.repeat(100_000) + ']'.repeat(100_000)
  for (const text of [nested, `{"session":${nested}}`, `{"session":{"cols":${nested}}}`, `{"x":${nested}}`])
    expect(refusal(text).code).toBe('config_invalid')
})
