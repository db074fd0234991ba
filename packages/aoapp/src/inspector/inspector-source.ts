import type { AppInfo, CommandAck, DeveloperLine, UpdateSignal } from '@aotui/runtime'

/** What there is to see of a desktop, at one moment. */
export interface DesktopPicture {
  readonly markup: string
  readonly apps: readonly InspectedApp[]
}

/** As AppInfo, with an error that can cross a wire. */
export type InspectedApp = Omit<AppInfo, 'error'> & { readonly error?: { readonly message: string } }

export interface InspectorEvents {
  onPicture(picture: DesktopPicture): void
  onSignal(reason: UpdateSignal['reason'] | 'reloaded'): void
  onDeveloperLine(line: DeveloperLine): void
  /** The desktop is gone; nothing follows. */
  onEnd(reason: string): void
}

/** A desktop that is inspected: in this process or in another. */
export interface InspectorSource {
  /** Begins to report; first comes what there is. */
  start(events: InspectorEvents): void
  /** Runs text of the command DSL, with refs that mean the newest picture. Rejects with what went wrong. */
  execute(command: string): Promise<CommandAck>
  close(): Promise<void>
}

export function inspectedApps(apps: readonly AppInfo[]): InspectedApp[] {
  return apps.map(({ error, ...app }) => ({
    ...app,
    ...(error === undefined ? {} : { error: { message: error.message } }),
  }))
}
