import * as net from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeAddress, parseAddress, sharesPrefix } from './ip-ranges.ts'

describe('an address is judged by the network it belongs to', () => {
  test.each([
    ['8.8.8.8', 'public'],
    ['2606:4700::1111', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.15.255.255', 'public'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'shared'],
    ['100.128.0.0', 'public'],
    ['169.254.1.1', 'link_local'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fc00::1', 'unique_local'],
    ['fdff::1', 'unique_local'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['febf::1', 'link_local'],
    ['fec0::1', 'private'],
    ['ff02::1', 'multicast'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2001:0:7f00:1::', 'reserved'], // Teredo
    ['4000::1', 'reserved'],
    ['64:ff9b:1::1', 'reserved'],
  ])('%s is %s', (address, kind) => {
    expect(judgeAddress(address)?.kind).toBe(kind)
  })

  test.each([
    ['::ffff:127.0.0.1', 'loopback', '127.0.0.1'],
    ['::ffff:7f00:1', 'loopback', '127.0.0.1'],
    ['::ffff:a9fe:a9fe', 'metadata', '169.254.169.254'],
    ['::127.0.0.1', 'loopback', '127.0.0.1'],
    ['::7f00:1', 'loopback', '127.0.0.1'],
    ['64:ff9b::10.0.0.1', 'private', '10.0.0.1'],
    ['64:ff9b::a9fe:a9fe', 'metadata', '169.254.169.254'],
    ['2002:7f00:1::', 'loopback', '127.0.0.1'],
    ['2002:c0a8:101::1', 'private', '192.168.1.1'],
    ['2606:4700::5efe:10.0.0.1', 'private', '10.0.0.1'],
    ['2606:4700::200:5efe:c0a8:101', 'private', '192.168.1.1'],
  ])('%s leads to %s, by the %s inside it', (address, kind, embedded) => {
    expect(judgeAddress(address)).toEqual({ kind, embedded })
  })

  test.each([
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['2002:808:808::1', 'public'],
    ['::8.8.8.8', 'reserved'], // a deprecated form
  ])('%s, with a public address inside it, is %s', (address, kind) => {
    expect(judgeAddress(address)?.kind).toBe(kind)
  })

  test.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '::1::',
    '1:2:3:4:5:6:7',
    ':::',
    '1.2.3.4::',
    'g::',
  ])('%j is no address', (text) => {
    expect(judgeAddress(text)).toBeNull()
  })
})

test('addresses and their blocks are judged as by Node', () => {
  const block = new net.BlockList()
  block.addSubnet('a00::', 7, 'ipv6')
  const prefix = parseAddress('a00::') ?? new Uint8Array()
  const text = fc.oneof(fc.ipV6(), fc.ipV4(), fc.string()).filter((it) => !it.includes('%')) // Node checks zones
  fc.assert(
    fc.property(text, (address) => {
      const bytes = parseAddress(address) ?? new Uint8Array()
      expect(bytes.length).toBe({ 0: 0, 4: 4, 6: 16 }[net.isIP(address)])
      const inBlock = net.isIP(address) === 6 && block.check(address, 'ipv6')
      expect(sharesPrefix(bytes, prefix, 7)).toBe(inBlock)
    }),
  )
})
