/** What all fuzzing tests share: the number of cases, odd values, and a session beside them that must stay responsive. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { TestHome } from './test-home.ts'
import { until } from './until.ts'
import { Wire } from './wire.ts'

/** A slice in a plain run; TRANSOM_FUZZ=N takes N cases of each kind, TRANSOM_FULL=1 a hundred thousand. */
const isLong = process.env['TRANSOM_FULL'] === '1' || process.env['TRANSOM_FUZZ'] !== undefined
export const CASES = Number(process.env['TRANSOM_FUZZ'] ?? (isLong ? 100_000 : 300))
export const FUZZ_TIMEOUT_MS = 3_600_000

const LOOK_EVERY = 10 // cases; each look costs about as much as a case
const WARM_UP_CASES_MIN = 2000 // before them the heap has not reached its working size
const GROWTH_MAX = 1.2

/** Names and texts that programs take for something else. */
export const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\0',
    '\x1b[2J',
    '\u009b31m',
    '../..',
    '/',
    '%2e%2e%2f',
    '-1',
    '-',
    '--',
    '$(id)',
    '\n',
    '\r\n',
    'NaN',
    '__proto__',
    'constructor',
    '\ud800',
    '(',
    '[',
    'last',
    'x'.repeat(5000),
  ),
)
export const oddNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-1, 0, 1, 2 ** 31, 2 ** 53, 1e300),
)
export const oddValue = fc.oneof(
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue(),
  fc.array(oddText, { maxLength: 5 }),
  fc.record({ row: oddNumber, col: oddNumber }),
)
/** Messages with the fields of JSON-RPC, and any JSON in place of one. */
export const oddMessage = (() => {
  const part = fc.oneof(
    oddValue,
    fc.constantFrom('2.0', 'session.list', '$/cancelRequest', '$/progress', 'tools/list', 'initialize'),
  )
  const fields = { jsonrpc: part, id: part, method: part, params: part, on_behalf_of: part }
  return fc.oneof(
    fc.record(fields, { requiredKeys: [] }),
    fc.record({ jsonrpc: fc.constant('2.0'), id: part, method: part, params: part }),
    fc.array(part, { maxLength: 5 }),
    part,
  )
})()

/** Values of all kinds for some of these keys, and for keys that do not exist. */
export function oddValuesOf(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const key = names.length === 0 ? oddText : fc.oneof(fc.constantFrom(...names), oddText)
  return fc.dictionary(key, oddValue, { maxKeys: 6 })
}

/** A text with some of its bytes changed, removed, doubled or followed by others. */
export function mutated(bytes: Uint8Array): fc.Arbitrary<Buffer> {
  const at = fc.nat({ max: Math.max(0, bytes.length - 1) })
  const change = fc.record({
    at,
    until: at,
    kind: fc.constantFrom('set', 'cut', 'repeat', 'insert', 'end'),
    with: fc.uint8Array({ maxLength: 16 }),
  })
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    let now = Buffer.from(bytes)
    for (const { at: from, until: to, kind, with: more } of changes) {
      const [start, end] = [Math.min(from, to), Math.max(from, to)]
      if (kind === 'set')
        now.set(more.subarray(0, Math.max(0, now.length - from)), Math.min(from, now.length))
      else if (kind === 'end') now = now.subarray(0, from)
      else {
        const middle = {
          cut: [],
          repeat: [now.subarray(start, end), now.subarray(start, end)],
          insert: [more],
        }
        const rest = now.subarray(kind === 'insert' ? start : end)
        now = Buffer.concat([now.subarray(0, start), ...middle[kind], rest])
      }
    }
    return now
  })
}

/** An answer of any surface that reports a bug of ours. */
export function expectNoBug(answer: string): void {
  expect(answer).not.toMatch(/please report it|"code":"internal"|"code":-32603/)
}

/**
 * Tries cases of one kind beside a session that is asked all the while. Prints the longest time that one answer took;
 * in a long run also compares the memory of the host before and after.
 */
export async function withstand<T>(
  { home, kind, cases = CASES }: { home: TestHome; kind: string; cases?: number },
  arbitrary: fc.Arbitrary<T>,
  attempt: (value: T, id: number) => Promise<void>,
): Promise<void> {
  const session = await home.ok('create', '--', 'cat')
  const beside = await Wire.connect(home.host().socket)
  const { pid } = home.host()
  const rssBytes = async () =>
    Number((await beside.call('status', 'host.status')).result?.['rss_bytes'] ?? Number.NaN)
  const warmUp = Math.max(WARM_UP_CASES_MIN, cases / 4)
  let tried = 0
  let longestMs = 0
  let warmBytes = Number.NaN
  const look = async () => {
    const began = performance.now()
    const { result } = await beside.call(`look ${tried}`, 'session.snapshot', { session })
    expect(result).toMatchObject({ session })
    longestMs = Math.max(longestMs, performance.now() - began)
  }
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => {
      tried++
      await Promise.all([attempt(value, tried), tried % LOOK_EVERY === 0 ? look() : null])
      if (tried === warmUp) warmBytes = await rssBytes()
    }),
    { numRuns: cases },
  )
  await look()
  const endBytes = await rssBytes()
  console.log(
    `${kind}: ${tried} cases; the session beside them answered within ${longestMs.toFixed(0)} ms; the host has ${(endBytes / 1e6).toFixed(0)} MB (${(warmBytes / 1e6).toFixed(0)} MB after ${warmUp} cases)`,
  )
  expect(home.host().pid).toBe(pid)
  if (isLong && !Number.isNaN(warmBytes))
    await until('the memory of the host is back', async () => (await rssBytes()) <= warmBytes * GROWTH_MAX)
  beside.vanish()
}
