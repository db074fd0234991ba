import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { needsThat } from '../../../../../test/support/needs.ts'
import { SUITES_FOLDER, hasSuites } from '../../../../../test/support/vt-suites.ts'
import { describeFrame, terminalBytes } from '../../../../../test/support/terminal-bytes.ts'
import { VtEmulator } from './vt-emulator.ts'

const FULL = process.env['TRANSOM_FULL'] === '1'
/** Of the recorded programs: every offset would take an hour. */
const OFFSETS_EACH = FULL ? 400 : 12
const RECORDINGS = FULL ? 100 : 15

function describeEmulator(emulator: VtEmulator) {
  return {
    frame: describeFrame(emulator.frame()),
    modes: emulator.modes(),
    place: emulator.place(),
    sync: emulator.syncActive,
    scrollback: describeFrame({ ...emulator.frame(), ...scrollbackFrame(emulator) }),
  }
}

function scrollbackFrame(emulator: VtEmulator) {
  const { grid } = emulator.scrollback()
  return { grid, text: grid }
}

function restored(emulator: VtEmulator): VtEmulator {
  const bytes = emulator.checkpoint()
  const copy = VtEmulator.restore(bytes)
  if (copy === null) throw new Error('the checkpoint was not taken')
  expect(Buffer.from(copy.checkpoint()).equals(bytes), 'a second save is the same').toBe(true)
  return copy
}

describe('a checkpoint', () => {
  test('at any byte is as good as no break: the rest gives the same screen, answers and modes', () => {
    fc.assert(
      fc.property(terminalBytes, fc.nat(), fc.integer({ min: 1, max: 40 }), (bytes, where, cols) => {
        const at = where % (bytes.length + 1)
        const whole = new VtEmulator(cols, 6, { scrollbackLines: 8 })
        whole.write(bytes)
        const first = new VtEmulator(cols, 6, { scrollbackLines: 8 })
        first.write(bytes.subarray(0, at))
        const second = restored(first)
        expect(describeEmulator(second)).toEqual(describeEmulator(first))
        second.write(bytes.subarray(at))
        expect(describeEmulator(second)).toEqual(describeEmulator(whole))
        expect(Buffer.from(second.checkpoint()).equals(whole.checkpoint())).toBe(true)
        expect(second.takeAnswers()).toEqual(whole.takeAnswers())
      }),
      {
        numRuns: FULL ? 20_000 : 400,
        examples: [[Buffer.from('\u001b[2J\u009d'), 4, 1]], // a string right after a sequence with parameters
      },
    )
  })

  const recorded = needsThat(hasSuites, `the recordings in ${SUITES_FOLDER}`)
  recorded('of a recorded program at an offset inside of it goes on as if there had been no break', () => {
    for (const { cols, rows, bytes } of recordings().slice(0, RECORDINGS)) {
      const whole = new VtEmulator(cols, rows)
      whole.write(bytes)
      const expected = describeEmulator(whole)
      for (let index = 0; index < OFFSETS_EACH; index++) {
        const at = Math.floor((bytes.length * (index + 0.5)) / OFFSETS_EACH)
        const first = new VtEmulator(cols, rows)
        first.write(bytes.subarray(0, at))
        const second = restored(first)
        second.write(bytes.subarray(at))
        expect(describeEmulator(second)).toEqual(expected)
      }
    }
  })

  test('survives a resize after it as the uninterrupted terminal does', () => {
    fc.assert(
      fc.property(
        terminalBytes,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (bytes, cols, rows) => {
          const first = new VtEmulator(20, 6, { scrollbackLines: 20 })
          first.write(bytes)
          const second = restored(first)
          first.resize(cols, rows)
          second.resize(cols, rows)
          expect(describeEmulator(second)).toEqual(describeEmulator(first))
        },
      ),
      { numRuns: FULL ? 5000 : 200 },
    )
  })

  test('is small: a thousand lines of output take some tens of kilobytes', () => {
    const emulator = new VtEmulator(80, 24)
    for (let line = 0; line < 2000; line++)
      emulator.write(Buffer.from(`line ${line}: the quick brown fox\r\n`))
    expect(emulator.checkpoint().length).toBeLessThan(65_000)
  })

  test('of another version is not taken', () => {
    const bytes = new VtEmulator(80, 24).checkpoint()
    bytes[3] = (bytes[3] ?? 0) + 1
    expect(VtEmulator.restore(bytes)).toBe(null)
  })

  test('that is cut off is refused', () => {
    const emulator = new VtEmulator(20, 5)
    emulator.write(Buffer.from('\x1b[1;31mred\r\n'.repeat(20)))
    const bytes = emulator.checkpoint()
    for (let length = 4; length < bytes.length; length++)
      expect(() => VtEmulator.restore(bytes.subarray(0, length))).toThrow(RangeError)
  })
})

function recordings(): { cols: number; rows: number; bytes: Buffer }[] {
  const lines = fs.readFileSync(path.join(SUITES_FOLDER, 'alacritty.jsonl'), 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const { cols, rows, steps } = JSON.parse(line) as {
      cols: number
      rows: number
      steps: [string, string][]
    }
    const bytes = Buffer.concat(steps.filter(([kind]) => kind === 'w').map(([, text]) => Buffer.from(text)))
    return { cols, rows, bytes }
  })
}
