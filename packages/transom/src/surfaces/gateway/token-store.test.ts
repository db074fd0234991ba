import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TokenStore } from './token-store.ts'

let home: string

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-tokens-'))
})

afterEach(() => {
  fs.rmSync(home, { recursive: true })
})

test('a token that was made is known, also to another process, and no other is', () => {
  const store = new TokenStore(home)
  const { token, grant } = store.create({ scope: 'read', sessions: ['abc'] })
  expect(new TokenStore(home).verify(token)).toEqual(grant)
  expect(grant).toMatchObject({ scope: 'read', sessions: ['abc'] })
  for (const wrong of ['', token.slice(1), `${token}=`, token.toUpperCase()])
    expect(store.verify(wrong)).toBeNull()
})

test('the first token is made once', () => {
  const store = new TokenStore(home)
  expect(store.createFirst()?.grant).toMatchObject({ name: 'default', scope: 'admin', sessions: null })
  expect(new TokenStore(home).createFirst()).toBeNull()
})

test('a token that was rotated or revoked elsewhere is worth nothing from the next turn on', async () => {
  const store = new TokenStore(home)
  const first = store.create({ name: 'one', scope: 'operate', sessions: null })
  const second = new TokenStore(home).rotate('one')
  await nextTurn()
  expect([store.verify(first.token), store.isValid(first.grant)]).toEqual([null, false])
  expect(store.verify(second.token)).toEqual({ ...first.grant, created_at: second.grant.created_at })
  new TokenStore(home).revoke(second.grant.id)
  await nextTurn()
  expect([store.verify(second.token), store.list()]).toEqual([null, []])
})

test('a file that is not one of tokens is refused, not taken for an empty one', () => {
  const store = new TokenStore(home)
  fs.writeFileSync(store.file, '{}')
  expect(() => store.verify('x')).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  expect(() => store.createFirst()).toThrow(expect.objectContaining({ code: 'config_invalid' }))
})
