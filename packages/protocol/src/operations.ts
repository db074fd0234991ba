import type { z } from 'zod'
import { ARTIFACT_OPERATIONS } from './artifact-operations.ts'
import { BATCH_OPERATIONS } from './batch-operations.ts'
import { HOST_OPERATIONS } from './host-operations.ts'
import { HOUSEKEEPING_OPERATIONS } from './housekeeping-operations.ts'
import { INPUT_OPERATIONS } from './input-operations.ts'
import { LIFECYCLE_OPERATIONS } from './lifecycle-operations.ts'
import { RECORDING_OPERATIONS } from './recording-operations.ts'
import { PICTURE_OPERATIONS } from './picture-operations.ts'
import { PTY_OPERATIONS } from './pty-operations.ts'
import { SHELL_INIT_OPERATIONS } from './shell-init-operation.ts'
import { WAIT_FOR_OPERATIONS } from './wait-for-operation.ts'
import { VIEW_OPERATIONS } from './view-operations.ts'
import { WEB_OPERATIONS } from './operations/web.ts'

/**
 * Each operation, once. The CLI's parsing and help, JSON-RPC, and docs/operations.md are derived from this
 * table; there is no second one.
 */
export const OPERATIONS = {
  ...LIFECYCLE_OPERATIONS,
  ...INPUT_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...PICTURE_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...ARTIFACT_OPERATIONS,
  ...PTY_OPERATIONS,
  ...SHELL_INIT_OPERATIONS,
  ...WAIT_FOR_OPERATIONS,
  ...WEB_OPERATIONS,
  ...HOUSEKEEPING_OPERATIONS,
  ...HOST_OPERATIONS,
} as const

export type OperationName = keyof typeof OPERATIONS
/** What a caller passes: defaults may be left out. */
export type Params<N extends OperationName> = z.input<(typeof OPERATIONS)[N]['params']>
/** What a handler receives: validated, defaults filled in. */
export type ParsedParams<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['params']>
export type Result<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['result']>

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
