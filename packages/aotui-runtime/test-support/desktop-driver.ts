import { onTestFinished } from 'vitest'
import {
  AotuiError,
  createDesktop,
  destroyDesktop,
  restore,
  type CommandAck,
  type Desktop,
  type DesktopConfig,
  type DesktopState,
  type Lease,
} from '../src/index.ts'
import { buildRuntime } from './runtime-build.ts'

const WAIT_MS_MAX = 30_000 // for a condition that should hold at once on an idle machine

/** A machine that is busy with other things must not make an app look like one that hangs. */
const PATIENT: DesktopConfig = { loadMs: 60_000, heartbeatMs: 20_000, timeoutMs: 60_000 }

/** A desktop that a test drives as a bridge would: it keeps the id of the snapshot that the agent saw last. */
export class DesktopDriver {
  readonly desktop: Desktop
  readonly lease: Lease
  seen: string | undefined

  constructor(desktop: Desktop) {
    this.desktop = desktop
    this.lease = desktop.input.acquire('test')
    onTestFinished(() => destroyDesktop(desktop.id).catch(() => undefined)) // a test may have destroyed it
  }

  /** Looks at the desktop: the refs of later commands mean this snapshot. */
  look(): string {
    const { markup, snapshot_id } = this.desktop.snapshot()
    this.seen = snapshot_id
    return markup
  }

  /** The lines of one view. */
  view(name: string): string {
    const [, body] =
      new RegExp(`<view id="[^"]*" name="${name}"[^>]*>\\n([\\s\\S]*?)\\n</view>`).exec(this.look()) ?? []
    if (body === undefined) throw new Error(`no view "${name}" in\n${this.look()}`)
    return body.trim()
  }

  /** What the developer log says, line by line. */
  developerLog(): string {
    return this.desktop
      .developerLog()
      .map(({ app, level, text }) => `${app} ${level}: ${text}`)
      .join('\n')
  }

  run(command: string): Promise<CommandAck> {
    return this.lease.execute(command, this.seen === undefined ? {} : { snapshot_id: this.seen })
  }

  system(command: string): Promise<CommandAck> {
    return this.run(`<context>${command}</context>`)
  }

  execute(
    command: string,
    { app = 'app_1', view }: { app?: string; view?: string } = {},
  ): Promise<CommandAck> {
    return this.run(
      `<context app_id="${app}"${view === undefined ? '' : ` view_id="${view}"`}>execute ${command}</context>`,
    )
  }

  /** Waits for a condition; it is looked at again whenever the desktop signals a change. */
  until(what: string, holds: (markup: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const markup = this.look()
        if (!holds(markup)) return
        this.desktop.output.unsubscribe(check)
        clearTimeout(timer)
        resolve(markup)
      }
      const timer = setTimeout(() => {
        this.desktop.output.unsubscribe(check)
        reject(new Error(`waited for ${what}; the desktop shows\n${this.look()}`))
      }, WAIT_MS_MAX)
      this.desktop.output.subscribe(check)
      check()
    })
  }
}

export async function openDesktop(config: DesktopConfig): Promise<DesktopDriver> {
  await buildRuntime()
  return new DesktopDriver(createDesktop({ ...PATIENT, ...config }))
}

/** A desktop with one app, open. */
export async function openApp(dir: string, config: DesktopConfig = {}): Promise<DesktopDriver> {
  const driver = await openDesktop({ ...config, apps: [dir] })
  await driver.system('open --application app_1')
  driver.look()
  return driver
}

export async function restoreDesktop(
  state: DesktopState,
  config: DesktopConfig = {},
): Promise<DesktopDriver> {
  await buildRuntime()
  const driver = new DesktopDriver(restore(state, { ...PATIENT, ...config }))
  await driver.desktop.ready
  return driver
}

/** The error that a call ends with. */
export async function failure(work: Promise<unknown>): Promise<AotuiError> {
  try {
    await work
  } catch (error) {
    if (error instanceof AotuiError) return error
    throw error
  }
  throw new Error('the call was expected to fail')
}
