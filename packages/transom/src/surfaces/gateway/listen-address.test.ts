import { expect, test } from 'vitest'
import { isLoopback, listenAddress, ownHosts } from './listen-address.ts'
import { assertOwnOrigin } from './origin-guard.ts'

test('only addresses of this machine itself are loopback', () => {
  for (const own of ['127.0.0.1', '127.8.9.1', '::1', 'localhost', '0:0:0:0:0:0:0:1'])
    expect([own, isLoopback(own)]).toEqual([own, true])
  for (const other of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.nip.io',
    'localhost.evil',
    '::ffff:10.0.0.1',
    '2001:db8::1',
    '::11',
  ])
    expect([other, isLoopback(other)]).toEqual([other, false])
})

test('a gateway answers to its own names and to configured ones, with its port', () => {
  const hosts = ownHosts(listenAddress({ listen: '127.0.0.1:7317' }), 7317, ['Box.lan', 'other.lan:99'])
  expect([...hosts].toSorted()).toEqual(
    ['127.0.0.1:7317', '[::1]:7317', 'box.lan:7317', 'localhost:7317', 'other.lan:99'].toSorted(),
  )
  const rules = { scheme: 'http' as const, hosts, allowedOrigins: new Set(['https://app.example']) }
  const check = (host: string | undefined, origin?: string) => () => assertOwnOrigin(rules, { host, origin })
  expect(check('LOCALHOST:7317')).not.toThrow()
  expect(check('localhost:7317', 'http://localhost:7317')).not.toThrow()
  expect(check('localhost:7317', 'https://app.example')).not.toThrow()
  for (const refused of [
    check(undefined),
    check('localhost'),
    check('localhost:7317', 'http://localhost:7318'),
    check('localhost:7317', 'https://localhost:7317'),
    check('localhost:7317', 'http://127.0.0.1:7317'),
    check('localhost:7317', 'null'),
    check('localhost:7317', 'https://app.example:444'),
    check('evil.example:7317', 'http://evil.example:7317'),
  ])
    expect(refused).toThrow(expect.objectContaining({ code: 'origin_refused' }))
})

test('a standard port may be left out', () => {
  expect([...ownHosts(listenAddress({ listen: '[::1]:80' }), 80, [])]).toEqual(
    expect.arrayContaining(['[::1]', '[::1]:80', 'localhost']),
  )
})
