import type { z } from 'zod'
import type { Capability, OperationDefinition } from './operation.ts'
import { ARTIFACTS_OPERATIONS } from './operations/artifacts.ts'
import { HOME_OPERATIONS } from './operations/home.ts'
import { HOST_OPERATIONS } from './operations/host.ts'
import { LOG_OPERATIONS } from './operations/log.ts'
import { PTY_OPERATIONS } from './operations/pty.ts'
import { SESSION_OPERATIONS } from './operations/session.ts'
import { SESSION_BATCH_OPERATIONS } from './operations/session-batch.ts'
import { SESSION_CAPTURE_OPERATIONS } from './operations/session-capture.ts'
import { SESSION_INPUT_OPERATIONS } from './operations/session-input.ts'
import { SESSION_LEASE_OPERATIONS } from './operations/session-lease.ts'
import { SESSION_SHELL_OPERATIONS } from './operations/session-shell.ts'
import { SESSION_VIEW_OPERATIONS } from './operations/session-view.ts'
import { WEB_OPERATIONS } from './operations/web.ts'

/** Each operation, once, with all that is known of it. The entries are in operations/, in files named after them. */
export const OPERATIONS = {
  ...SESSION_OPERATIONS,
  ...SESSION_INPUT_OPERATIONS,
  ...SESSION_VIEW_OPERATIONS,
  ...SESSION_SHELL_OPERATIONS,
  ...SESSION_CAPTURE_OPERATIONS,
  ...SESSION_BATCH_OPERATIONS,
  ...SESSION_LEASE_OPERATIONS,
  ...PTY_OPERATIONS,
  ...WEB_OPERATIONS,
  ...ARTIFACTS_OPERATIONS,
  ...LOG_OPERATIONS,
  ...HOME_OPERATIONS,
  ...HOST_OPERATIONS,
} as const

export type OperationName = keyof typeof OPERATIONS
/** What a caller passes: defaults may be left out. */
export type Params<N extends OperationName> = z.input<(typeof OPERATIONS)[N]['params']>
/** What a handler receives: validated, defaults filled in. */
export type ParsedParams<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['params']>
export type Result<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['result']>
/** The capability that an operation needs of a session; never for one that needs none. */
export type NeededBy<N extends OperationName> =
  (typeof OPERATIONS)[N] extends OperationDefinition<z.ZodObject, z.ZodType, infer C>
    ? Extract<C, Capability>
    : never

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
