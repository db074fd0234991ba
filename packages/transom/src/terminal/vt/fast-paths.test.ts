import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeFrame, terminalBytes } from '../../../../../test/support/terminal-bytes.ts'
import { VtEmulator } from './vt-emulator.ts'

const RUNS = process.env['TRANSOM_FULL'] === '1' ? 200_000 : 1500

test('the fast paths show what the state machine shows, and leave the same state', () => {
  fc.assert(
    fc.property(terminalBytes, fc.integer({ min: 1, max: 40 }), (bytes, cols) => {
      const fast = new VtEmulator(cols, 6, { scrollbackLines: 8 })
      const slow = new VtEmulator(cols, 6, { scrollbackLines: 8, fastPaths: false })
      fast.write(bytes)
      slow.write(bytes)
      expect(describeFrame(fast.frame())).toEqual(describeFrame(slow.frame()))
      expect(Buffer.from(fast.checkpoint()).equals(slow.checkpoint())).toBe(true)
    }),
    { numRuns: RUNS },
  )
})

test('no count, however large, holds the terminal up', () => {
  const emulator = new VtEmulator(80, 24)
  for (const final of '@ABCDEFGHIJKLMPSTXZ^`abdefjr')
    for (let round = 0; round < 20; round++) emulator.write(Buffer.from(`x\x1b[4000000;4000000${final}`))
  for (const sequence of ["' }", "'}", "'~", ' @', ' A', '$x', '$z', '$r', '$v'])
    emulator.write(Buffer.from(`\x1b[1;1;4000000;4000000;7${sequence}`))
  // A loop of four million rounds for each of them would not end within the test's time.
  emulator.write(Buffer.from('\x1b[Hend'))
  expect(emulator.frame().grid.lineOf(0)).toMatch(/^end/)
})

test.each([
  ['a plain screen', ''],
  ['over wide characters', '漢字漢字漢字漢字\x1b[H '],
  ['a row of double width', '\x1b#6'],
  ['insert mode', 'before\x1b[H\x1b[4h'],
  ['no wrapping', '\x1b[?7l'],
  ['margins', '\x1b[?69h\x1b[3;8s\x1b[2;4r\x1b[2;3H'],
  ['line drawing', '\x1b(0'],
])('a repeated character is what it would be if it were printed so often: %s', (_name, before) => {
  for (const times of [1, 5, 37, 200]) {
    const repeated = new VtEmulator(10, 6, { scrollbackLines: 8 })
    const printed = new VtEmulator(10, 6, { scrollbackLines: 8, fastPaths: false })
    repeated.write(Buffer.from(`${before}q\x1b[${times}b`))
    printed.write(Buffer.from(`${before}q${'q'.repeat(Math.min(times, 60))}`)) // a screenful at most
    expect(describeFrame(repeated.frame())).toEqual(describeFrame(printed.frame()))
  }
})
