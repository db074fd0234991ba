export {
  AotuiError,
  ERROR_TABLE,
  toJsonRpcError,
  type AotuiErrorCode,
  type AotuiErrorData,
  type JsonRpcErrorResponse,
  type WireError,
} from './contract/aotui-error.ts'
export type {
  AppState,
  Command,
  CommandAck,
  DesktopState,
  ExecuteOptions,
  InstalledState,
  Tier,
  TuiOperationDetail,
  UpdateSignal,
  ViewState,
} from './contract/command.ts'
export type { AotuiApi, AppModule, DefinedView, ViewDefinition } from './app-process/app-api.ts'
export { parseManifest, readManifest, type AppManifest, type ManifestView } from './manifest/app-manifest.ts'
export type { CommandInputStream, Lease } from './desktop/command-input.ts'
export {
  createDesktop,
  destroyDesktop,
  getSnapshot,
  restore,
  serialize,
  serializeFresh,
  type DesktopConfig,
} from './desktop/create-desktop.ts'
export type { AppInfo, Desktop, DesktopReady } from './desktop/desktop.ts'
export type { Snapshot, SnapshotOptions } from './desktop/snapshot.ts'
export type { DeveloperLine } from './desktop/developer-log.ts'
export type { SignalOutputStream } from './desktop/signal-output.ts'
