import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CODE_MS, LOGINS_FILE, LoginCodes } from './login-codes.ts'
import { LOGIN_SECONDS, ViewerLogins } from './viewer-logins.ts'

let home: string
let nowMs: number

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-logins-'))
  nowMs = 1_000_000
})

afterEach(() => fs.rmSync(home, { recursive: true }))

const codes = () => new LoginCodes(home, () => nowMs)

test('a code is good once, for another process, and within its time', () => {
  const code = codes().create()
  for (const wrong of ['', 'x', code.slice(1), `${code}=`]) expect(codes().take(wrong)).toBe(false)
  expect([codes().take(code), codes().take(code)]).toEqual([true, false])
  const late = codes().create()
  nowMs += CODE_MS
  expect(codes().take(late)).toBe(false)
})

test('the file has no code in it, is its user’s alone, and does not grow', () => {
  const made = Array.from({ length: 40 }, () => codes().create())
  const file = path.join(home, LOGINS_FILE)
  const text = fs.readFileSync(file, 'utf8')
  expect(made.some((code) => text.includes(code))).toBe(false)
  expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600')
  expect(text.length).toBeLessThan(2000)
  expect([codes().take(made[0] ?? ''), codes().take(made.at(-1) ?? '')]).toEqual([false, true])
})

test('a file that is not one of codes is refused', () => {
  fs.writeFileSync(path.join(home, LOGINS_FILE), '{}')
  expect(() => codes().take('x')).toThrow(expect.objectContaining({ code: 'config_invalid' }))
})

test('a login is valid until it ends or expires', () => {
  const logins = new ViewerLogins(() => nowMs)
  const [one, other] = [logins.open(), logins.open()]
  const grant = logins.find(one)
  expect(grant).toMatchObject({ scope: 'read', sessions: null })
  expect(logins.find(`${one}x`)).toBeNull()
  if (grant !== null) logins.end(grant)
  expect([logins.find(one), logins.find(other)]).toEqual([null, expect.objectContaining({ scope: 'read' })])
  nowMs += LOGIN_SECONDS * 1000
  expect(logins.find(other)).toBeNull()
})
