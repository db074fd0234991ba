import * as fc from 'fast-check'
import { INJECTIONS } from './injection-corpus.ts'

/** One thing that a hostile app writes to its channel. */
export type HostileCase =
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

const SHORT_INJECTIONS = INJECTIONS.map((text) => text.slice(0, 400))
const claim = fc.oneof(
  fc.constantFrom(...SHORT_INJECTIONS),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const id = fc.constantFrom('a', 'things', 'op', 'x_1', 'attack')
const app = fc.constantFrom('app_1', 'app_1', 'app_1', 'app_2', 'app_9')
const small = fc.nat(5)
const indent = small

const chunk = fc.oneof(
  fc.record({ kind: fc.constant('text'), text: claim }),
  fc.record({ kind: fc.constant('code'), text: claim, language: fc.string({ maxLength: 5 }), indent }),
  fc.record({
    kind: fc.constant('list'),
    id,
    type: id,
    title: claim,
    from: small,
    total: fc.nat(1000),
    indent,
  }),
  fc.record(
    { kind: fc.constant('item'), head: claim, rest: claim, indent, key: claim, value: claim },
    { requiredKeys: ['kind', 'head', 'rest', 'indent'] },
  ),
  fc.constant({ kind: 'end' }),
)
const argType = fc.oneof(
  fc.constantFrom<object>(
    { kind: 'any' },
    { kind: 'string' },
    { kind: 'number', integer: false },
    { kind: 'item', itemType: 'a' },
  ),
  fc.record({ kind: fc.constant('enum'), values: fc.array(fc.oneof(claim, fc.integer()), { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('array'), element: fc.constant({ kind: 'any' }) }),
)
const argSpec = fc.record(
  { type: argType, optional: fc.boolean(), short: fc.constantFrom('x', 'y'), description: claim },
  { requiredKeys: ['type', 'optional'] },
)
const operation = fc.record(
  {
    id,
    label: claim.map((text) => text.slice(0, 200)),
    args: fc.dictionary(fc.constantFrom('a', 'b', 'item', 'constructor'), argSpec, { maxKeys: 3 }),
    itemType: id,
  },
  { requiredKeys: ['id', 'label'] },
)
const error = fc.record({
  code: fc.constantFrom('E_INTERNAL', 'E_PERMISSION'),
  message: claim,
  data: fc.constant({}),
})
const appData = fc.oneof(
  fc.constantFrom<object>({ kind: 'none' }, { kind: 'same' }),
  fc.record({ kind: fc.constant('data'), json: fc.json() }),
  fc.record({ kind: fc.constant('failed'), error }),
)
const outcome = fc.oneof(
  fc.record({
    ok: fc.constant(true),
    settled: fc.boolean(),
    warnings: fc.array(claim, { maxLength: 2 }),
    appData,
  }),
  fc.record({ ok: fc.constant(false), error, appData }),
)

/** Messages of the right shape with any content. */
const claimed = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        type: fc.constant('fragment'),
        app,
        view: fc.constantFrom('V', 'W', 'nowhere'),
        version: fc.nat(),
        splice: fc.record({ from: small, removeCount: small, chunks: fc.array(chunk, { maxLength: 5 }) }),
        operations: fc.array(operation, { maxLength: 3 }),
        entities: fc.array(
          fc.record({ id, type: id, key: claim, value: claim }, { requiredKeys: ['id', 'type'] }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: ['type', 'app', 'view', 'version', 'splice'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('views'),
      app,
      views: fc.array(
        fc.record({
          handle: fc.constantFrom('V', 'W'),
          name: claim.map((text) => text.slice(0, 100)),
          state: fc.constantFrom('mounted', 'dismounted', 'absent'),
        }),
        { maxLength: 3 },
      ),
    }),
  },
  fc.record({
    type: fc.constant('log'),
    app,
    log: fc.constantFrom('app', 'developer'),
    level: fc.constantFrom('info', 'error'),
    text: claim,
  }),
  fc.record({ type: fc.constant('pushed'), app, appData }),
  fc.record({ type: fc.constant('ack'), app, seq: small, outcome }),
  fc.record({ type: fc.constant('ready'), app, hooks: fc.boolean(), appData }),
  fc.record({ type: fc.constant('net'), seq: small, host: claim, port: fc.nat(65_535) }),
  fc.constantFrom<object>({ type: 'up' }, { type: 'pong', seq: 1 }),
)

/** The same with one place changed to anything at all. */
const mutated = fc
  .tuple(
    claimed,
    fc.infiniteStream(fc.nat()),
    fc.oneof(fc.jsonValue(), fc.constantFrom(null, -1, 1e308, '', [], {})),
  )
  .map(([message, picks, value]) => mutate(JSON.parse(JSON.stringify(message)), picks, value))

const bytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }),
  // A sound length before a body that is not.
  fc
    .uint8Array({ minLength: 1, maxLength: 200 })
    .map((body) => Uint8Array.from([0, 0, 0, body.length, ...body])),
)

export const hostileCase: fc.Arbitrary<HostileCase> = fc.oneof(
  { weight: 97, arbitrary: claimed.map((message) => ({ kind: 'message' as const, message })) },
  { weight: 2, arbitrary: mutated.map((message) => ({ kind: 'message' as const, message })) },
  { weight: 1, arbitrary: bytes.map((value) => ({ kind: 'bytes' as const, bytes: value })) },
)

export function encodeCase(one: HostileCase): Uint8Array {
  if (one.kind === 'bytes') return one.bytes
  const body = Buffer.from(JSON.stringify([one.message]))
  const header = Buffer.alloc(4)
  header.writeUInt32BE(body.length)
  return Buffer.concat([header, body])
}

function mutate(value: unknown, picks: Iterator<number>, replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null) return replacement
  const keys = Object.keys(value)
  const key = keys[(picks.next().value as number) % (keys.length + 1)]
  if (key === undefined) return replacement
  const inner = (value as Record<string, unknown>)[key]
  const changed = mutate(inner, picks, replacement)
  return Array.isArray(value)
    ? value.map((entry: unknown, index) => (String(index) === key ? changed : entry))
    : { ...value, [key]: changed }
}
