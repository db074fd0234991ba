import { expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { dispatch, type Handlers, type HostOperations, type RequestContext } from './dispatch.ts'

const context = {} as RequestContext // the handlers below use none of it
const target = { session: 'a session', control: 'its terminal' }

/** A host whose handlers return what they were called with. */
function hostWith(findTarget: HostOperations['findTarget']): HostOperations {
  const called = (...args: unknown[]) => args
  const handlers = { 'session.signal': called, 'session.mark': called, 'pty.enter': called }
  return { handlers: handlers as unknown as Handlers, findTarget }
}

test('a handler is given the session that has what the operation needs', async () => {
  const found: unknown[] = []
  const host = hostWith(async (...args) => {
    found.push(args)
    return target as never
  })
  const signal = await dispatch(host, 'session.signal', { session: 'work', signal: 'INT' }, context)
  expect(signal).toEqual([{ session: 'work', signal: 'INT', to: 'foreground' }, context, target])
  await dispatch(host, 'pty.enter', { conversation_id: 'talk' }, context)
  expect(found).toEqual([
    ['work', 'tty'],
    ['talk', 'blocks'],
  ])
})

test('a session without it is refused before the handler is called', async () => {
  const host = hostWith(async () => {
    throw new OpError('wrong_kind', 'session x is a web page')
  })
  const refused = dispatch(host, 'session.signal', { session: 'x', signal: 'INT' }, context)
  await expect(refused).rejects.toMatchObject({ code: 'wrong_kind' })
  const marked = dispatch(host, 'session.mark', { session: 'x', label: 'here' }, context)
  expect(await marked).toEqual([{ session: 'x', label: 'here' }, context])
})

test.each([
  ['session.run', { session: 'x', command: 'make test' }, 'give ["make test"]'],
  ['session.create', { command: 'python3 -q' }, 'give ["python3","-q"]'],
  ['session.create', { command: "sh -c 'ls'" }, `give ["sh","-c","sh -c 'ls'"]`],
  ['session.run', { session: 'x', command: 'x'.repeat(1000) }, 'is a list of words, not a text (got'],
])('%s with a text in place of a list of words shows the list', async (name, params, words) => {
  const call = dispatch(
    hostWith(async () => expect.unreachable()),
    name,
    params,
    context,
  )
  await expect(call).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(words) })
})

test('parameters are checked first', async () => {
  const host = hostWith(async () => expect.unreachable())
  const call = dispatch(host, 'session.signal', { session: 'x', signal: 'LOUD' }, context)
  await expect(call).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('signal') })
})

test('the error for many mistakes names a few of them, and shows the beginning of long values', async () => {
  const host = hostWith(async () => expect.unreachable())
  const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`unknown_${index}`, 1]))
  const keys = Array.from({ length: 500 }, () => ['x'.repeat(10_000)])
  const failure = async (params: object) => {
    const error = await dispatch(host, 'session.keys', params, context).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'usage' })
    expect(JSON.stringify((error as OpError).details).length).toBeLessThan(3000)
    return (error as OpError).message
  }
  expect(await failure({ session: 'x', keys: ['a'], ...unknown })).toMatch(/`unknown_0`, `unknown_1`/)
  expect(await failure({ session: 'x', keys })).toMatch(/`keys` at 10 .*; and 490 more$/)
})
