import type { AwiMethod } from './awi.ts'
import type { OperationDefinition } from './operation.ts'
import { OPERATIONS } from './operations.ts'

export interface TabledAwiMethod extends AwiMethod {
  /** The operation that it stands at. */
  readonly operation: string
}

/** The methods of the agent socket, by name: the operation table's. */
export const AWI_METHODS: ReadonlyMap<string, TabledAwiMethod> = new Map(
  Object.entries<OperationDefinition>(OPERATIONS).flatMap(([operation, { awi = [] }]) =>
    awi.map((method) => [method.method, { ...method, operation }] as const),
  ),
)

/** What there is, by the names of `get_capabilities`. */
export const AWI_FEATURES: readonly string[] = [...AWI_METHODS.values()].flatMap(
  ({ method, features = [method] }) => features,
)
