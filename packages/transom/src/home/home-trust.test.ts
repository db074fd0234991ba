import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { needsThat } from '../../../../test/support/needs.ts'
import { checkHomeContents, checkHomeFolder } from './home-trust.ts'

const OTHER_USER = 65_534

let root: string
let home: string

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-trust-'))
  home = path.join(root, 'home')
  const session = path.join(home, 'sessions', 's1')
  fs.mkdirSync(session, { recursive: true, mode: 0o755 })
  for (const file of ['home.json', 'config.json', 'gateway-tokens.json', 'sessions/s1/manifest.json'])
    fs.writeFileSync(path.join(home, file), '{}', { mode: 0o644 })
})

afterEach(() => fs.rmSync(root, { recursive: true }))

function refusal(check: (home: string) => void): OpError | null {
  try {
    check(home)
    return null
  } catch (error) {
    if (error instanceof OpError) return error
    throw error
  }
}

test('a Home of this user that others may only read is used', () => {
  expect(refusal(checkHomeFolder)).toBeNull()
  expect(refusal(checkHomeContents)).toBeNull()
})

test('a Home that is not there yet is accepted', () => {
  expect(() => checkHomeFolder(path.join(root, 'none'))).not.toThrow()
})

test.each([0o777, 0o775, 0o757, 0o1777])('a Home of mode %o is refused', (mode) => {
  fs.chmodSync(home, mode)
  for (const check of [checkHomeFolder, checkHomeContents]) {
    const error = refusal(check)
    expect(error?.code).toBe('home_untrusted')
    expect(error?.message).toMatch(/other users may write to it.*chmod go-w.*--home/)
  }
})

describe.each(['config.json', 'gateway-tokens.json', 'sessions', 'sessions/s1', 'sessions/s1/manifest.json'])(
  '%s',
  (name) => {
    test('is refused if others may write to it', () => {
      fs.chmodSync(path.join(home, name), 0o777)
      expect(refusal(checkHomeContents)).toMatchObject({
        code: 'home_untrusted',
        details: { home, file: path.join(home, name) },
      })
    })

    test('may have any mode in a Home that others cannot enter', () => {
      fs.chmodSync(home, 0o700)
      fs.chmodSync(path.join(home, name), 0o777)
      expect(refusal(checkHomeContents)).toBeNull()
    })

    needsThat(process.getuid?.() === 0, 'root')('is refused if it belongs to another user', () => {
      fs.chmodSync(home, 0o700)
      fs.chownSync(path.join(home, name), OTHER_USER, OTHER_USER)
      const error = refusal(checkHomeContents)
      expect(error?.code).toBe('home_untrusted')
      expect(error?.message).toContain(`${path.join(home, name)} in the Home ${home}`)
      expect(error?.message).toContain(`belongs to user ${OTHER_USER}`)
    })
  },
)

test('a link to a file that others may write to is refused', () => {
  const elsewhere = path.join(root, 'elsewhere.json')
  fs.writeFileSync(elsewhere, '{}')
  fs.chmodSync(elsewhere, 0o666)
  fs.rmSync(path.join(home, 'config.json'))
  fs.symlinkSync(elsewhere, path.join(home, 'config.json'))
  expect(refusal(checkHomeContents)?.code).toBe('home_untrusted')
  fs.chmodSync(elsewhere, 0o644)
  expect(refusal(checkHomeContents)).toBeNull()
})

needsThat(process.getuid?.() === 0, 'root')('a Home of another user is refused, also by root', () => {
  fs.chownSync(home, OTHER_USER, OTHER_USER)
  for (const check of [checkHomeFolder, checkHomeContents]) {
    const error = refusal(check)
    expect(error?.code).toBe('home_untrusted')
    expect(error?.message).toContain(`the Home ${home} is not used: it belongs to user ${OTHER_USER}`)
  }
})
