import { describe, expect, test } from 'vitest'
import {
  epollFds,
  parseConnection,
  parseIgnoresTerm,
  parseMark,
  parseOwnCgroup,
  parsePeerUid,
  parsePeerUids,
  parseStat,
  parseSyscall,
  polledFds,
  ptsDevice,
  ptsNumber,
  selectedFds,
  socketInode,
} from './proc-texts.ts'

describe('/proc/PID/stat', () => {
  const facts = { pid: 16942, state: 'S', parentPid: 16937, group: 16942, sid: 16930 }

  test('gives parent, group, session and the group in front', () => {
    const text =
      '16942 (bash) S 16937 16942 16930 34817 16950 4194304 183 0 0 0 0 0 0 0 20 0 1 0 203972 4464640\n'
    expect(parseStat(16942, text)).toEqual({
      ...facts,
      terminal: 34817,
      foregroundGroup: 16950,
      hasExecuted: true,
    })
  })

  test('may have any name in its parentheses', () => {
    const text = '16942 (a) R 1 (b) S 16937 16942 16930 0 -1 4194368 183 0 0 0 0\n'
    expect(parseStat(16942, text)).toEqual({
      ...facts,
      terminal: 0,
      foregroundGroup: null,
      hasExecuted: false,
    })
  })
})

test('the master of a pty names its terminal', () => {
  expect(ptsNumber('pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t91\ntty-index:\t300\n')).toBe(300)
  expect(ptsNumber('pos:\t0\nflags:\t02100002\n')).toBeNull()
  expect([ptsDevice(8), ptsDevice(300)]).toEqual([0x8808, 0x10882c])
})

test('a mark is the soft limit of real-time scheduling, where it is limited', () => {
  const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max realtime priority     7                    9
Max realtime timeout      ${soft.padEnd(20)} unlimited            us
`
  expect(parseMark(limits('4611686018428436480'))).toBe(4611686018428436480n)
  expect(parseMark(limits('unlimited'))).toBeNull()
})

test('whether SIGTERM is ignored is a bit of SigIgn', () => {
  const status = (ignored: string) => `Name:\tbash\nSigBlk:\tffffffffffffffff\nSigIgn:\t${ignored}\n`
  expect(parseIgnoresTerm(status('0000000000384004'))).toBe(true)
  expect(parseIgnoresTerm(status('0000000000000004'))).toBe(false)
  expect(parseIgnoresTerm('Name:\tbash\n')).toBe(false)
})

describe('the call that a thread sleeps in', () => {
  const pselect =
    '270 0xfb 0x7ffdf33ca160 0x0 0x0 0x7ffdf33ca070 0x7ffdf33ca080 0x7ffdf33ca040 0x7fbf7c392aec\n'

  test('has a number of its own on each architecture', () => {
    const args = expect.arrayContaining([0xfb, 0x7ffdf33ca160])
    expect(parseSyscall(pselect, 'x64')).toEqual({ name: 'pselect6', kind: 'select', args })
    expect(parseSyscall('63 0x0 0x1000 0x400 0x0\n', 'arm64')).toMatchObject({ name: 'read', kind: 'read' })
    expect(parseSyscall(pselect, 'riscv64')).toBeNull()
  })

  test('is of no interest when it does not wait for input', () => {
    expect(parseSyscall('running\n', 'x64')).toBe('running')
    expect(parseSyscall('61 0xffffffff 0x7ffc 0x0\n', 'x64')).toBe('running')
    expect(parseSyscall('-1 0x7ffc 0x7fbf\n', 'x64')).toBe('running')
  })
})

test('the descriptors that a call waits for are in its sets', () => {
  expect(selectedFds(Buffer.from([0b1000_0001, 0, 0b10]))).toEqual([0, 7, 17])
  const poll = Buffer.alloc(24)
  poll.writeInt32LE(5, 0)
  poll.writeInt16LE(0x4, 4) // POLLOUT
  poll.writeInt32LE(6, 8)
  poll.writeInt16LE(0x1 | 0x2, 12)
  poll.writeInt32LE(9, 16)
  poll.writeInt16LE(0x1, 20)
  expect(polledFds(poll.subarray(0, 23))).toEqual([6])
  expect(polledFds(poll)).toEqual([6, 9])
  const info = `pos:\t0
flags:\t02000002
tfd:       17 events:       19 data:               11  pos:0 ino:40e sdev:10
tfd:        0 events: 80000019 data:                0  pos:0 ino:5b sdev:6
tfd:        4 events:        4 data:                f  pos:0 ino:8c2e0 sdev:f
`
  expect(epollFds(info)).toEqual([17, 0])
})

describe('the owner of a connection', () => {
  const connection = { peerPort: 0xa1b2, ownPort: 0x07e8 }
  const table = (
    state: string,
    uid: string,
  ) => `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:07E8 0100007F:A1B2 01 00000000:00000000 00:00000000 00000000     7        0 1060 1
   1: 0100007F:A1B2 0100007F:07E8 ${state} 00000000:00000000 00:00000000 00000000 ${uid.padStart(5)}        0 1061 1
`

  test('is that of the row whose local end is the peer', () => {
    expect(parsePeerUid(table('01', '1000'), '0100007F', connection)).toBe(1000)
    expect(parsePeerUid(table('08', '0'), '0100007F', connection)).toBe(0)
  })

  test('is not known once it is closed, or if it is not listed', () => {
    expect(parsePeerUid(table('06', '0'), '0100007F', connection)).toBeNull()
    expect(parsePeerUid(table('01', '1000'), '0100007F', { ...connection, peerPort: 1 })).toBeNull()
    expect(parsePeerUid('', '0100007F', connection)).toBeNull()
  })

  test('is found for all peers of a port, by their addresses', () => {
    const row = (local: string, remote: string, uid: number) =>
      `   0: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 1 1 0 20 4 0 10 -1\n`
    const text = [
      row('0200007F:C350', '0100007F:1C95', 1000),
      row('0100007F:1C95', '0200007F:C350', 0), // our own end
      row('0000000000000000FFFF00000100007F:C351', '0000000000000000FFFF00000100007F:1C95', 1001),
      row('00000000000000000000000001000000:C352', '00000000000000000000000001000000:1C95', 1002),
      row('0200007F:C353', '0100007F:1C96', 1003),
    ].join('')
    expect(parsePeerUids(text, 7317)).toEqual([
      ['127.0.0.2:50000', 1000],
      ['127.0.0.1:50001', 1001],
      ['::1:50002', 1002],
    ])
  })
})

test('both ends of a connection are found by the inode of its socket', () => {
  const row = (local: string, remote: string, state: string, inode: number) =>
    `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 20 4 0 10 -1\n`
  const table = [
    row('0100007F:0016', '0100007F:C350', '01', 61),
    row('0100007F:C350', '0100007F:0016', '01', 6),
    row('00000000000000000000000001000000:C352', '00000000000000000000000001000000:0016', '01', 8),
    row('0100007F:C354', '0100007F:0016', '06', 0),
  ].join('')
  expect(parseConnection(table, 6)).toEqual({ own: '127.0.0.1 50000', peer: '127.0.0.1 22' })
  expect(parseConnection(table, 8)).toEqual({ own: '::1 50002', peer: '::1 22' })
  expect([0, 1, 7].map((inode) => parseConnection(table, inode))).toEqual([null, null, null])
  expect(['socket:[61]', 'pipe:[61]', '/dev/pts/3', ''].map(socketInode)).toEqual([61, null, null, null])
})

test.each([
  [
    '0::/user.slice/a\n',
    '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n',
    '/sys/fs/cgroup/user.slice/a',
  ],
  [
    '4:memory:/x\n0::/\n',
    '41 30 0:35 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n',
    '/sys/fs/cgroup/unified',
  ],
  ['0::/docker/1/a\n', '30 23 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n', '/sys/fs/cgroup/a'],
  ['0::/docker/10\n', '30 23 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n', null],
  ['4:memory:/x\n', '41 30 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n', null],
])('the control group of %j with %j is in %j', (cgroup, mountinfo, folder) => {
  expect(parseOwnCgroup(cgroup, mountinfo)).toBe(folder)
})
