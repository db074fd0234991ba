import { describe, expect, test } from 'vitest'
import {
  actorName,
  delegatedPrincipal,
  delegation,
  delegationOf,
  passedOn,
  reachOf,
  vouchersOf,
  type LocalPrincipal,
  type McpPrincipal,
  type Principal,
  type TokenPrincipal,
} from './principal.ts'

const peer: LocalPrincipal = { kind: 'local', uid: 1000, pid: 812, user: 'ada' }
const token: TokenPrincipal = { kind: 'token', id: 'a1', name: 'ci-bot', scope: 'operate', sessions: ['s1'] }
const mcp = (name: string | null, under: LocalPrincipal | TokenPrincipal = token): McpPrincipal => ({
  kind: 'mcp',
  client: name === null ? null : { name, version: '1' },
  under,
})

describe('the actor of a principal', () => {
  test.each<[Principal, string]>([
    [peer, 'ada (pid 812)'],
    [{ ...peer, user: null, pid: null }, 'uid 1000'],
    [token, 'token ci-bot'],
    [mcp('claude-code'), 'mcp claude-code under token ci-bot'],
    [mcp('claude-code', peer), 'mcp claude-code under ada (pid 812)'],
    [mcp(null), 'mcp under token ci-bot'],
  ])('names it: %#', (principal, actor) => {
    expect(actorName(principal)).toBe(actor)
  })

  test('cannot be forged by the name that a client chooses', () => {
    expect(actorName(mcp('x under token admin'))).toBe('mcp "x under token admin" under token ci-bot')
    expect(actorName(mcp('under'))).toBe('mcp "under" under token ci-bot')
    expect(actorName(mcp('a" under root'))).toBe(String.raw`mcp "a\" under root" under token ci-bot`)
    expect(actorName(mcp(''))).toBe('mcp "" under token ci-bot')
    expect(actorName(mcp('a\u001b[2J\u202e'))).toBe('mcp "a\ufffd[2J\ufffd" under token ci-bot')
  })
})

describe('a delegation', () => {
  test.each<[Principal]>([[token], [mcp('claude-code')], [mcp(null)], [mcp('claude-code', peer)]])(
    'carries a principal to the host and back: %#',
    (principal) => {
      const wire = JSON.parse(JSON.stringify(delegationOf(principal))) as unknown
      expect(delegatedPrincipal(peer, delegation.parse(wire))).toEqual(principal)
    },
  )

  test.each<[Principal]>([[peer], [token], [mcp('claude-code')], [mcp('claude-code', peer)]])(
    'is passed on by one host to another, with those who vouched for it: %#',
    (principal) => {
      const host: LocalPrincipal = { ...peer, pid: 99 }
      const sent = delegation.parse(JSON.parse(JSON.stringify(passedOn(principal, 'ada (pid 5)'))))
      expect(delegatedPrincipal(host, sent)).toEqual(principal)
      expect(vouchersOf(host, sent)).toBe('ada (pid 5), ada (pid 99)')
      expect(vouchersOf(host, passedOn(principal, null))).toBe('ada (pid 99)')
    },
  )

  test('is recorded with the peer that vouches for it, unless that is part of it', () => {
    expect(vouchersOf(peer, delegation.parse(delegationOf(token)))).toBe('ada (pid 812)')
    expect(vouchersOf(peer, delegation.parse(delegationOf(mcp('claude-code'))))).toBe('ada (pid 812)')
    expect(vouchersOf(peer, delegation.parse(delegationOf(mcp('claude-code', peer))))).toBeNull()
  })

  test('names no user: that is always the one of the peer', () => {
    expect(delegationOf(peer)).toBeUndefined()
    const claimed = { ...mcp('x', { ...peer, uid: 0, pid: 1, user: 'root' }) }
    expect(delegatedPrincipal(peer, delegation.parse(delegationOf(claimed)))).toEqual(mcp('x', peer))
    expect(delegation.safeParse(claimed).success).toBe(false)
    expect(delegation.safeParse(peer).success).toBe(false)
  })

  test('of a client with a long name is cut to what a host takes', () => {
    expect(delegation.safeParse(delegationOf(mcp('x'.repeat(10_000)))).success).toBe(true)
  })
})

test('an MCP client reaches as far as the principal that it runs under', () => {
  expect(reachOf(mcp('x'))).toMatchObject({ scope: 'operate', sessions: ['s1'] })
  expect(reachOf(mcp('x', peer))).toEqual({ scope: 'admin', sessions: null })
})
