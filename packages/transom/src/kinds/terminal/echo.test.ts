import { describe, expect, test } from 'vitest'
import { canonicalText, liesWithin } from '@transom/grid'
import { VtEmulator } from '../../terminal/vt/vt-emulator.ts'
import { EchoTracker, cursorPlace } from './echo.ts'

/** A terminal, and what was typed at it. */
class Typist {
  readonly #emulator: VtEmulator
  readonly #tracker = new EchoTracker()
  #seq = 0
  #printed = true
  #cooked = false

  constructor(cols = 40) {
    this.#emulator = new VtEmulator(cols, 12)
  }

  /** From now on the terminal itself echoes. */
  cooked(): this {
    this.#cooked = true
    return this
  }

  prints(text: string): this {
    this.#emulator.write(Buffer.from(text))
    this.#printed = true
    return this
  }

  types(text: string): this {
    this.#tracker.typed(++this.#seq, text, cursorPlace(this.#emulator.frame()), {
      echoed: this.#printed,
      byKernel: this.#cooked,
    })
    this.#printed = false
    return this
  }

  /** How often `text` is on the screen, not counting echoes of what was typed since `seq`. */
  output(text: string, seq = 1): number {
    const frame = this.#emulator.frame()
    const canonical = canonicalText(frame.grid)
    const echoes = this.#tracker.echoes(seq, frame, canonical)
    const starts = [...canonical.text.matchAll(new RegExp(text, 'g'))].map((match) => match.index)
    return starts.filter((start) => !liesWithin(echoes, { start, end: start + text.length })).length
  }
}

describe('echo is distinguished from output', () => {
  test('the kernel’s echo does not count, what cat repeats does', () => {
    const typist = new Typist().types('hello\r').prints('hello\r\n')
    expect(typist.output('hello')).toBe(0)
    expect(typist.prints('hello\r\n').output('hello')).toBe(1)
  })

  test('of a long paste the end is still known for an echo', () => {
    const typist = new Typist(3)
      .types(`${'line\r'.repeat(20_000)}end\r`)
      .prints(`${'line\r\n'.repeat(20_000)}end\r\n`)
    expect(typist.output('end')).toBe(0)
    expect(typist.prints('end\r\n').output('end')).toBe(1)
  })

  test('an echo that has only half arrived does not count', () => {
    expect(new Typist().prints('$ ').types('echo DONE; sleep 9\r').prints('echo DONE').output('DONE')).toBe(0)
  })

  test('a command at a prompt does not count, its output does', () => {
    const typist = new Typist().prints('$ ').types('sleep 1; echo DONE\r').prints('sleep 1; echo DONE\r\n')
    expect(typist.output('DONE')).toBe(0)
    expect(typist.prints('DONE\r\n$ ').output('DONE')).toBe(1)
  })

  test('a shell that was not reading yet echoes twice, and neither counts', () => {
    const typist = new Typist().types('sleep 1; echo DONE\r').prints('sleep 1; echo DONE\r\n')
    typist.prints('\x1b[?2004h$ sleep 1; echo DONE\r\n\x1b[?2004l\r')
    expect(typist.output('DONE')).toBe(0)
    expect(typist.prints('DONE\r\n').output('DONE')).toBe(1)
  })

  test('a program that repeats the typed text within its own output counts', () => {
    const typist = new Typist().prints('name? ').types('ada\r').prints('ada\r\n')
    expect(typist.output('ada')).toBe(0)
    expect(typist.prints('hello ada\r\n').output('ada')).toBe(1)
  })

  test('several lines typed at once are all echo', () => {
    const typist = new Typist().types('one\rtwo\r').prints('one\r\ntwo\r\n')
    expect([typist.output('one'), typist.output('two')]).toEqual([0, 0])
    typist.prints('one\r\ntwo\r\n')
    expect([typist.output('one'), typist.output('two')]).toEqual([1, 1])
  })

  test('text typed in quick succession, before any echo came, is echo', () => {
    const typist = new Typist().types('ab').types('cd\r').types('ef\r').prints('abcd\r\nef\r\n')
    expect([typist.output('abcd'), typist.output('cd'), typist.output('ef')]).toEqual([0, 0, 0])
  })

  test('an echo that wraps over rows is still echo', () => {
    const typist = new Typist(10).prints('$ ').types('echo abcdefghijkl\r').prints('echo abcdefghijkl\r\n')
    expect(typist.output('abcdefghijkl')).toBe(0)
  })

  test('it is still found after the screen has scrolled', () => {
    const typist = new Typist().types('find me\r').prints('find me\r\n')
    expect(typist.prints('x\r\n'.repeat(8)).output('find me')).toBe(0)
  })

  test('a prompt that was on its way comes before the kernel’s echo, which still does not count', () => {
    const typist = new Typist().cooked().types('echo MARK\r').prints('$ echo MARK\r\n')
    expect(typist.output('MARK')).toBe(0)
    expect(typist.prints('MARK\r\n$ ').output('MARK')).toBe(1)
  })

  test('a tab is echoed as blanks', () => {
    expect(new Typist().types('a\tMARK\r').prints('a\tMARK\r\n').output('MARK')).toBe(0)
  })

  test('an Enter of its own belongs to the line that it sends', () => {
    const typist = new Typist().prints('$ ').types('echo MARK').prints('echo MARK').types('\r').prints('\r\n')
    expect(typist.output('MARK', 2)).toBe(0)
  })

  test('what was typed before the baseline counts', () => {
    const typist = new Typist().types('old\r').prints('old\r\n').types('new\r').prints('new\r\n')
    expect([typist.output('old', 2), typist.output('new', 2)]).toEqual([1, 0])
  })
})
