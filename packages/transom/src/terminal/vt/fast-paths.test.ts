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
