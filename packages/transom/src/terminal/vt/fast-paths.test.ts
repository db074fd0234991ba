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

/** Of every class that joins or begins clusters: what a run of text may take, and what has to end it. */
const SCRIPTS = [
  ' |a|ż|П|漢|か|─|✓|\u00ad|\u0301|\u200d|\ufe0e|\ufe0f|\u{1f3fd}|👍|❤|👩|🚀|\u{1f600}|\u{1f1e9}|\u{1f1ea}',
  '각|가|\u1100|\u1161|\u11a8|\ud7b0|क|\u094d|\u093f|ก|\u0e33|\u0600|\u{110bd}',
  '\x1b[?2027l|\x1b[?2027h|\r\n|\x1b[1;3H|\x1b[3b|\x1b[D',
].flatMap((parts) => parts.split('|'))

test('a run of text in any script is what its code points give one by one, state included', () => {
  const text = fc.array(fc.constantFrom(...SCRIPTS), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 24 }), (parts, cols) => {
      const bytes = Buffer.from(parts.join(''))
      const fast = new VtEmulator(cols, 4, { scrollbackLines: 4 })
      const slow = new VtEmulator(cols, 4, { scrollbackLines: 4, fastPaths: false })
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
