export * from './awi.ts'
export * from './awi-command-table.ts'
export * from './awi-methods.ts'
export * from './artifact.ts'
export * from './artifact-operations.ts'
export * from './batch-operations.ts'
export * from './batch-steps.ts'
export * from './errors.ts'
export * from './events.ts'
export * from './housekeeping-operations.ts'
export * from './jsonrpc.ts'
export {
  TOKEN_SCOPES,
  tokenScopeOf,
  type CliSpelling,
  type McpTool,
  type OperationDefinition,
  type TokenScope,
} from './operation.ts'
export * from './block.ts'
export * from './needs-input.ts'
export * from './operations.ts'
export * from './recording-operations.ts'
export * from './picture-operations.ts'
export * from './page-view.ts'
export * from './principal.ts'
export * from './pty-operations.ts'
export * from './session-info.ts'
export { terminalOptions, webOptions, type TerminalOptions, type WebOptions } from './session-kinds.ts'
export * from './snapshot.ts'
export * from './subscription.ts'
export * from './wait-for-operation.ts'
export * from './wait.ts'
export * from './web-viewport.ts'
export * from './operations/web.ts'
export * from './command-table.ts'
export * from './version.ts'
