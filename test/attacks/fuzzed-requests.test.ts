/** Random requests to a real host: each is answered, with a result or an error that says what is wrong. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FUZZ_TIMEOUT_MS, oddMessage, withstand } from '../support/fuzz.ts'
import { oddRequest, paramsOf } from '../support/odd-requests.ts'
import { TestHome } from '../support/test-home.ts'
import { Wire } from '../support/wire.ts'

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

test(
  'every request is answered, and no error is a bug of ours',
  async () => {
    await withstand({ home, kind: 'requests to the host' }, oddRequest, async (asked, id) => {
      const { error } = await wire.call(id, asked.method, paramsOf(asked, { id, session, root: home.root }))
      expect(error?.data.code).not.toBe('internal')
    })
    // Its program may have been interrupted.
    expect((await wire.call('after', 'session.inspect', { session })).result).toMatchObject({ session })
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'every message is answered once, or is a notification',
  async () => {
    await withstand({ home, kind: 'messages to the host' }, oddMessage, async (sent, id) => {
      wire.sendRaw(`${JSON.stringify(sent)}\n`)
      expect((await wire.call(`next ${id}`, 'session.list')).result).toBeDefined()
    })
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'bytes that are no message leave the connection usable',
  async () => {
    const line = fc.uint8Array({ maxLength: 200 }).map((bytes) => bytes.filter((byte) => byte !== 10))
    await withstand({ home, kind: 'bytes to the host' }, line, async (bytes, id) => {
      wire.sendRaw(Buffer.concat([bytes, Buffer.from('\n')]))
      expect((await wire.call(`next ${id}`, 'session.list')).result).toBeDefined()
    })
  },
  FUZZ_TIMEOUT_MS,
)
