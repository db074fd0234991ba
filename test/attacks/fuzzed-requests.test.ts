/** Random requests to a real host: each is answered, with a result or an error that says what is wrong. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OPERATIONS, type OperationDefinition } from '@transom/protocol'
import { TestHome } from '../support/test-home.ts'
import { Wire } from '../support/wire.ts'

const RUNS = process.env['TRANSOM_FULL'] === '1' ? 100_000 : 400

/** What would end the host or the session that is asked about, start programs, or need a browser. */
const LEFT_OUT = /^(?:host\.stop|session\.(?:destroy|gc|create|signal)|pty\.(?:exec|reset|end)|web\.)/
const operations = Object.entries<OperationDefinition>(OPERATIONS).filter(([name]) => !LEFT_OUT.test(name))

let home: TestHome
let session: string
let wire: Wire

beforeAll(async () => {
  home = new TestHome()
  session = await home.ok('create', '--', 'cat')
  wire = await Wire.connect(home.host().socket)
})

afterAll(async () => {
  wire.vanish()
  await home.close()
})

const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\0',
    '\x1b[2J',
    '../..',
    '/',
    '-1',
    'NaN',
    '__proto__',
    '\ud800',
    '(',
    '[',
    'last',
    'x'.repeat(5000),
  ),
)
const oddNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-1, 0, 1, 2 ** 31, 2 ** 53, 1e300),
)
const oddValue = fc.oneof(
  oddText,
  oddNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue(),
  fc.array(oddText, { maxLength: 5 }),
  fc.record({ row: oddNumber, col: oddNumber }),
)

interface Asked {
  readonly method: string
  readonly given: object
  readonly isForSession: boolean
}

/** An operation, and values of all kinds for some of its parameters. */
const request = fc.constantFrom(...operations).chain(([method, { params }]) => {
  const names = Object.keys(params.shape).filter((name) => name !== 'session' && name !== 'conversation_id')
  const given = fc.dictionary(
    names.length === 0 ? oddText : fc.oneof(fc.constantFrom(...names), oddText),
    oddValue,
    {
      maxKeys: 6,
    },
  )
  return fc.record({ method: fc.constant(method), given, isForSession: fc.boolean() })
})

function paramsOf(id: number, { method, given, isForSession }: Asked): object {
  const { shape } = (OPERATIONS as Record<string, OperationDefinition>)[method]?.params ?? { shape: {} }
  return {
    ...given,
    ...('timeout_ms' in shape ? { timeout_ms: 0 } : {}), // so that nothing waits
    ...('session' in shape && isForSession ? { session } : {}),
    ...('conversation_id' in shape && isForSession ? { conversation_id: session } : {}),
    ...('out' in shape ? { out: `${home.root}/out-${id}` } : {}), // files of the test's own
  }
}

test('every request is answered, and no error is a bug of ours', async () => {
  let id = 0
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const { error } = await wire.call(++id, asked.method, paramsOf(id, asked))
      expect(error?.data.code).not.toBe('internal')
    }),
    { numRuns: RUNS },
  )
  // Its program may have been interrupted.
  expect((await wire.call('after', 'session.inspect', { session })).result).toMatchObject({ session })
}, 3_600_000)

test('every message is answered once, or is a notification', async () => {
  const part = fc.oneof(oddValue, fc.constantFrom('2.0', 'session.list', '$/cancelRequest', '$/progress'))
  const message = fc.oneof(
    fc.record(
      { jsonrpc: part, id: part, method: part, params: part, on_behalf_of: part },
      { requiredKeys: [] },
    ),
    fc.record({ jsonrpc: fc.constant('2.0'), id: part, method: part, params: part }),
    fc.array(part, { maxLength: 5 }),
    part,
  )
  let id = 0
  await fc.assert(
    fc.asyncProperty(message, async (sent) => {
      wire.sendRaw(`${JSON.stringify(sent)}\n`)
      expect((await wire.call(`next ${++id}`, 'session.list')).result).toBeDefined()
    }),
    { numRuns: RUNS },
  )
}, 3_600_000)
