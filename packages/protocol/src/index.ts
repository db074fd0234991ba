export * from './access.ts'
export * from './activity.ts'
export * from './awi.ts'
export * from './awi-command-table.ts'
export * from './awi-methods.ts'
export * from './artifact.ts'
export * from './errors.ts'
export * from './events.ts'
export * from './jsonrpc.ts'
export * from './lease.ts'
export {
  TOOL_SETS,
  mcpTools,
  type Capability,
  type McpTool,
  type OperationDefinition,
  type ToolParam,
  type ToolSet,
} from './operation.ts'
export * from './block.ts'
export * from './needs-input.ts'
export * from './operations.ts'
export type { LogReport } from './operations/log.ts'
export { BATCH_STEPS, stepOperation, type BatchStepReport } from './operations/session-batch.ts'
export type { RecordingFormat } from './operations/session-capture.ts'
export * from './render.ts'
export { untrusted, untrustedFields } from './untrusted.ts'
export * from './page-view.ts'
export * from './principal.ts'
export * from './session-info.ts'
export {
  plainName,
  terminalOptions,
  webOptions,
  type TerminalOptions,
  type WebOptions,
} from './session-kinds.ts'
export * from './snapshot.ts'
export * from './subscription.ts'
export * from './wait.ts'
export * from './web-viewport.ts'
export * from './command-table.ts'
export * from './version.ts'
