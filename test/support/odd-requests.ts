import fc from 'fast-check'
import { OPERATIONS, type OperationDefinition } from '@transom/protocol'
import { oddValuesOf } from './fuzz.ts'

/** What would end the host or the session that is asked about, start programs, or need a browser. */
const LEFT_OUT = /^(?:host\.stop|session\.(?:destroy|gc|create|signal)|pty\.(?:exec|reset|end)|web\.)/
const operations = Object.entries<OperationDefinition>(OPERATIONS).filter(([name]) => !LEFT_OUT.test(name))

export interface OddRequest {
  readonly method: string
  readonly given: object
  readonly isForSession: boolean
}

/** An operation, and values of all kinds for some of its parameters. */
export const oddRequest: fc.Arbitrary<OddRequest> = fc
  .constantFrom(...operations)
  .chain(([method, { params }]) => {
    const names = Object.keys(params.shape).filter((name) => name !== 'session' && name !== 'conversation_id')
    return fc.record({ method: fc.constant(method), given: oddValuesOf(names), isForSession: fc.boolean() })
  })

/** The parameters to send: they wait for nothing and write only files of the test's own. */
export function paramsOf(
  { method, given, isForSession }: OddRequest,
  { id, session, root }: { id: number; session: string; root: string },
): Record<string, unknown> {
  const { shape } = (OPERATIONS as Record<string, OperationDefinition>)[method]?.params ?? { shape: {} }
  return {
    ...given,
    ...('timeout_ms' in shape ? { timeout_ms: 0 } : {}),
    ...('session' in shape && isForSession ? { session } : {}),
    ...('conversation_id' in shape && isForSession ? { conversation_id: session } : {}),
    ...('out' in shape ? { out: `${root}/out-${id}` } : {}),
  }
}
