import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { EventStore } from '../log/event-store.ts'
import { OutputReader } from '../log/output-reader.ts'
import { SparseIndex } from '../log/sparse-index.ts'
import { StoredEvents } from '../log/stored-events.ts'
import { fittedOutput } from './fitted-output.ts'
import { RegexMatcher, SubstringMatcher } from './output-match.ts'
import { endedOutput, piecesOf, readOutput, type OutputStream } from './output-stream.ts'
import { END_OF_SESSION, waitForOutput, type Awaited, type OutputWaitOptions } from './output-waits.ts'

/** So that all of this holds across segments. */
const SEGMENT_BYTES_MAX = 4096

let folder: string
let logs: EventStore[]

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-output-'))
  logs = []
})

afterEach(async () => {
  for (const log of logs) await log.close()
  fs.rmSync(folder, { recursive: true })
})

/** A session as far as its output goes: what a test prints is recorded and announced. */
class PrintingSession implements OutputStream {
  readonly log: EventStore
  readonly #observers = new Set<() => void>()
  #ended = false

  constructor() {
    const own = path.join(folder, String(logs.length))
    fs.mkdirSync(own)
    this.log = EventStore.create(own, { now: () => 0, segmentBytesMax: SEGMENT_BYTES_MAX })
    logs.push(this.log)
  }

  get chain() {
    return this.log.chain
  }

  endOffset() {
    return this.log.endOffset
  }

  /** What another process finds. */
  stored() {
    return StoredEvents.at(this.log.folder)
  }

  ended() {
    return this.#ended
  }

  subscribe(observer: () => void) {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  print(text: string | Buffer) {
    this.log.append('output', Buffer.from(text))
    this.#announce()
  }

  mark() {
    this.log.appendFact('mark', { actor: 'test', label: 'x' })
    this.#announce()
  }

  end() {
    this.#ended = true
    this.#announce()
  }

  get observed() {
    return this.#observers.size > 0
  }

  #announce() {
    for (const observer of this.#observers) observer()
  }
}

const never = new AbortController().signal
const substring = (text: string, cursor = 0): Awaited => ({
  kind: 'output',
  matcher: new SubstringMatcher(text, cursor),
})
const regex = (pattern: string, cursor = 0): Awaited => ({
  kind: 'output',
  matcher: new RegexMatcher(pattern, cursor),
})
const options = (change: Partial<OutputWaitOptions> = {}): OutputWaitOptions => ({
  fromCursor: 0,
  timeoutMs: 60_000,
  signal: never,
  ...change,
})
const now = (change: Partial<OutputWaitOptions> = {}) => options({ timeoutMs: 0, ...change })

describe('the output stream', () => {
  test('is what was printed, without other records in between', async () => {
    const session = new PrintingSession()
    session.print('one ')
    session.mark()
    session.print('two ')
    session.mark()
    session.print('three')
    expect(session.chain.cursor).toBe(13)
    expect((await readOutput(session, 2, 10)).toString()).toBe('e two th')
    const offline = await endedOutput(session.stored())
    expect((await readOutput(offline, 0, Infinity)).toString()).toBe('one two three')
  })

  test('is read alike from any cursor, in a log of many records', async () => {
    const session = new PrintingSession()
    const printed: Buffer[] = []
    for (let index = 0; index < 2000; index++) {
      const piece = Buffer.alloc((index * 37) % 700, 97 + (index % 26))
      printed.push(piece)
      session.print(piece)
      if (index % 3 === 0) session.mark()
    }
    const all = Buffer.concat(printed)
    for (const from of [0, 1, 64 << 10, 300_001, all.length - 1, all.length]) {
      expect(await readOutput(session, from, from + 5000)).toEqual(all.subarray(from, from + 5000))
    }
  })

  test('has records larger than what is read at a time', async () => {
    const session = new PrintingSession()
    session.print('before')
    session.print(Buffer.alloc(3 << 20, 'x'))
    session.print('after')
    const result = await waitForOutput(session, substring('xafter'), now())
    expect(result).toMatchObject({ matched: true, cursor: 6 + (3 << 20) + 5 })
  })

  test('is refused past its end', async () => {
    const session = new PrintingSession()
    session.print('abc')
    await expect(waitForOutput(session, substring('x', 4), now({ fromCursor: 4 }))).rejects.toThrow(
      'cursor 4 is past the end of the output (3 bytes); take one',
    )
  })

  test('is made to fit from its two ends when it is very long', async () => {
    const session = new PrintingSession()
    const line = `${'x'.repeat(99)}\n`
    for (let index = 0; index < 100; index++) session.print(`${index}\n${line.repeat(1000)}`)
    const end = session.chain.cursor
    const { head, tail, omitted, bytes } = await fittedOutput(
      session,
      { from: 0, to: end },
      { maxBytes: 1000 },
    )
    expect(head.toString()).toBe(`0\n${line.repeat(3)}`)
    expect(tail.toString()).toBe(line.repeat(6))
    expect({ bytes, omitted }).toEqual({ bytes: end, omitted: { from_cursor: 302, to_cursor: end - 600 } })
  })

  test('reports a damaged log', async () => {
    const session = new PrintingSession()
    session.print('abc')
    session.print('def')
    fs.writeSync(fs.openSync(session.log.path, 'r+'), Buffer.from('X'), 0, 1, 16 + 28)
    await expect(readOutput(session, 0, 6)).rejects.toMatchObject({ code: 'log_corrupt' })
  })

  test('keeps an index of a fixed size', async () => {
    const index = new SparseIndex()
    const bytes = 100 << 10
    for (let seq = 1; seq <= 50_000; seq++) index.note(seq, EVENT_TYPE_NUMBERS.output, bytes, seq)
    expect(index.entries.length).toBeLessThanOrEqual(4096)
    const found = index.before(40_000 * bytes + 1)
    expect(found?.cursor).toBe((found?.seq ?? 0) * bytes - bytes)
    expect(found?.seq).toBeGreaterThan(40_000 - 20)
  })
})

describe('a wait for output', () => {
  test('finds what was printed before it', async () => {
    const session = new PrintingSession()
    session.print('Guess a number: ')
    const result = await waitForOutput(session, substring('number'), options())
    expect(result).toMatchObject({ matched: true, cursor: 14, match: { start: 8 } })
  })

  test('finds what is printed after it, byte by byte', async () => {
    const session = new PrintingSession()
    const waiting = waitForOutput(session, substring('number'), options())
    for (const letter of 'Guess a number: ') session.print(letter)
    expect(await waiting).toMatchObject({ matched: true, cursor: 14 })
    expect(session.observed).toBe(false)
  })

  test('does not find what lies before its cursor, not even in part', async () => {
    const session = new PrintingSession()
    session.print('ok')
    session.print('ok')
    expect(await waitForOutput(session, substring('ok', 1), now({ fromCursor: 1 }))).toMatchObject({
      cursor: 4,
    })
    expect(await waitForOutput(session, substring('ok', 3), now({ fromCursor: 3 }))).toMatchObject({
      matched: false,
    })
  })

  test('that times out reports what it saw and where to continue, without losing a match that had begun', async () => {
    const session = new PrintingSession()
    session.print('\x1b[1mhello\x1b[0m wor')
    const failed = await waitForOutput(session, substring('world'), now())
    expect(failed).toMatchObject({ matched: false, reason: 'timeout', tail: 'hello wor', cursor: 13 })
    session.print('ld')
    const again = await waitForOutput(session, substring('world', 13), now({ fromCursor: 13 }))
    expect(again).toMatchObject({ matched: true, cursor: 19 })
  })

  test('fails when the session ends first, and looks at its last words before', async () => {
    const session = new PrintingSession()
    const failing = waitForOutput(session, substring('never'), options())
    const matching = waitForOutput(session, substring('bye'), options())
    session.print('bye')
    session.end()
    expect(await failing).toMatchObject({ matched: false, reason: 'ended', tail: 'bye' })
    expect(await matching).toMatchObject({ matched: true })
  })

  test('is over when its request is cancelled', async () => {
    const controller = new AbortController()
    const session = new PrintingSession()
    const waiting = waitForOutput(session, substring('x'), options({ signal: controller.signal }))
    controller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect(session.observed).toBe(false)
  })

  test('looks no further than max_bytes', async () => {
    const session = new PrintingSession()
    session.print('0123456789')
    const within = await waitForOutput(session, substring('345'), now({ maxBytes: 6 }))
    expect(within).toMatchObject({ matched: true, cursor: 6 })
    const beyond = await waitForOutput(session, substring('456'), options({ maxBytes: 6 }))
    expect(beyond).toMatchObject({ matched: false, reason: 'max_bytes', tail: '012345' })
  })

  test('looks no further than the end of a part, also when that has come before', async () => {
    const session = new PrintingSession()
    const isMark = { types: [EVENT_TYPE_NUMBERS.mark], ends: () => true }
    const waiting = waitForOutput(
      session,
      substring('after'),
      options({ until: { ...isMark, cursor: null } }),
    )
    session.print('before ')
    session.mark()
    session.print('after')
    expect(await waiting).toMatchObject({ matched: false, reason: 'ended', tail: 'before ' })
    const late = options({ fromCursor: 9, until: { ...isMark, cursor: 7 } })
    expect(await waitForOutput(session, substring('ter', 9), late)).toMatchObject({
      reason: 'ended',
      tail: '',
    })
  })

  test('with an open end returns the match so far at its limit', async () => {
    const session = new PrintingSession()
    session.print('12345')
    const result = await waitForOutput(session, regex('\\d+'), options({ maxBytes: 3 }))
    expect(result).toMatchObject({ matched: true, cursor: 3 })
  })

  test('for the end of the session matches when it comes', async () => {
    const session = new PrintingSession()
    const waiting = waitForOutput(session, { kind: 'fact', judge: END_OF_SESSION }, options())
    session.print('bye')
    session.end()
    expect(await waiting).toEqual({ matched: true, match: null, cursor: 3 })
  })

  test('gives others their turn while it searches megabytes', async () => {
    const session = new PrintingSession()
    const megabyte = Buffer.alloc(1 << 20, 'x')
    for (let index = 0; index < 8; index++) session.print(megabyte)
    let turns = 0
    let searching = true
    const others = () => {
      turns++
      if (searching) setImmediate(others)
    }
    setImmediate(others)
    await waitForOutput(
      session,
      substring('y'),
      now({ timeoutMs: 60_000, signal: AbortSignal.timeout(0) }),
    ).catch(() => {})
    session.end()
    expect(await waitForOutput(session, substring('y'), options())).toMatchObject({ reason: 'ended' })
    searching = false
    expect(turns).toBeGreaterThan(6)
  })
})

describe('a regex', () => {
  test('matches across records and reports what it matched', async () => {
    const session = new PrintingSession()
    const waiting = waitForOutput(session, regex('port (\\d+)\\.'), options())
    for (const piece of ['listening on po', 'rt 80', '80', '.\r\n']) session.print(piece)
    const result = await waiting
    expect(result).toMatchObject({ matched: true, cursor: 23 })
    expect(result.matched && result.match?.bytes.toString()).toBe('port 8080.')
  })

  test('whose end is open waits until the program pauses', async () => {
    const session = new PrintingSession()
    const waiting = waitForOutput(session, regex('\\d+'), options())
    session.print('12')
    session.print('34')
    const result = await waiting
    expect(result.matched && result.match?.bytes.toString()).toBe('1234')
  })

  test('with `$` matches a prompt at the end of the output', async () => {
    const session = new PrintingSession()
    session.print('(gdb) run\r\n(gdb) ')
    expect(await waitForOutput(session, regex('^\\(gdb\\) $'), options())).toMatchObject({ cursor: 17 })
  })

  test('finds non-ASCII text, and bytes that are not text', async () => {
    const session = new PrintingSession()
    session.print(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('příliš žluťoučký')]))
    const result = await waitForOutput(session, regex('ž.*ký'), now())
    expect(result).toMatchObject({ matched: true, cursor: 2 + Buffer.byteLength('příliš žluťoučký') })
  })

  test('that cannot be compiled is refused', () => {
    expect(() => regex('(?=x)')).toThrow(expect.objectContaining({ code: 'bad_pattern' }))
  })

  test('continues after a timeout from where a match could still begin', async () => {
    const session = new PrintingSession()
    session.print('first line\r\nsecond li')
    const failed = await waitForOutput(session, regex('^second line'), now())
    expect(failed).toMatchObject({ matched: false, cursor: 12 })
    session.print('ne')
    expect(await waitForOutput(session, regex('^second line', 12), now({ fromCursor: 12 }))).toMatchObject({
      matched: true,
    })
  })
})

describe('whatever the chunks', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ž'), minLength: 1, maxLength: 60 })
  const wanted = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'ž'), minLength: 1, maxLength: 4 })
  const cuts = fc.array(fc.nat(60), { maxLength: 20 })

  test('a text is found where it first is, live and afterwards', async () => {
    await fc.assert(
      fc.asyncProperty(text, wanted, cuts, fc.nat(30), async (printed, needle, places, from) => {
        const bytes = Buffer.from(printed)
        const fromCursor = Math.min(from, bytes.length)
        const session = new PrintingSession()
        const live = waitForOutput(session, substring(needle), options())
        for (const chunk of cut(bytes, places)) session.print(chunk)
        session.end()
        const at = bytes.indexOf(Buffer.from(needle))
        const expected = at < 0 ? { matched: false } : { matched: true, match: { start: at } }
        expect(await live).toMatchObject(expected)
        const later = bytes.indexOf(Buffer.from(needle), fromCursor)
        const offline = await endedOutput(session.stored())
        const result = await waitForOutput(offline, substring(needle, fromCursor), options({ fromCursor }))
        expect(result.matched ? result.match?.start : -1).toBe(later)
      }),
      { numRuns: 60 },
    )
  })

  test('a pattern with a fixed end is found when it is in the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom('a+b', '^b', 'a\\nb', '[ab]ž', 'b.b'),
        cuts,
        async (printed, pattern, places) => {
          const bytes = Buffer.from(printed)
          const session = new PrintingSession()
          const live = waitForOutput(session, regex(pattern), options())
          for (const chunk of cut(bytes, places)) session.print(chunk)
          session.end()
          const result = await live
          expect(result.matched).toBe(new RegExp(pattern, 'm').test(printed))
        },
      ),
      { numRuns: 60 },
    )
  })
})

test('pieces cover the stream without a gap', async () => {
  const session = new PrintingSession()
  for (let index = 0; index < 300; index++) session.print(Buffer.alloc(3000, index))
  const reader = new OutputReader(session.chain, { from: session.chain.before(0) })
  let cursor = 0
  for await (const piece of piecesOf(reader, () => session.endOffset())) {
    expect(piece.cursor).toBe(cursor)
    cursor += piece.bytes.length
  }
  reader.close()
  expect(cursor).toBe(900_000)
})

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set([0, ...places.filter((place) => place < bytes.length)])].toSorted(
    (a, b) => a - b,
  )
  return sorted.map((start, index) => bytes.subarray(start, sorted[index + 1] ?? bytes.length))
}
