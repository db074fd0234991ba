import type { CommandAck } from '@aotui/runtime'
import { AppDriver } from '../app-driver.ts'
import { messageOf } from '../usage-error.ts'
import { watchApp, type Watcher } from '../watch-app.ts'
import { inspectedApps, type InspectorEvents, type InspectorSource } from './inspector-source.ts'

/** The app in a folder, opened here and reloaded when its sources change. */
export class AppSource implements InspectorSource {
  readonly #dir: string
  #app: AppDriver | undefined
  #events: InspectorEvents | undefined
  #watcher: Promise<Watcher> | undefined
  #work: Promise<unknown> = Promise.resolve()

  constructor(dir: string) {
    this.#dir = dir
  }

  start(events: InspectorEvents): void {
    this.#events = events
    this.#watcher = watchApp(this.#dir, {
      onReady: () => void this.#do(() => this.#reload()),
      onError: (error) => this.#noteBuildError(error),
    })
    this.#watcher.catch((error: unknown) => events.onEnd(messageOf(error)))
  }

  execute(command: string): Promise<CommandAck> {
    return this.#do(() => {
      if (this.#app === undefined) throw new Error('the app is not open yet')
      return this.#app.execute(command)
    })
  }

  async close(): Promise<void> {
    this.#events = undefined
    const watcher = await this.#watcher?.catch(() => undefined) // onEnd has told
    await watcher?.close()
    await this.#work
    await this.#app?.close()
  }

  async #reload(): Promise<void> {
    if (this.#app === undefined) {
      this.#app = await AppDriver.open(this.#dir, {
        onDeveloperLine: (line) => this.#events?.onDeveloperLine(line),
        onSignal: (reason) => {
          this.#events?.onSignal(reason)
          this.#show()
        },
      })
    } else {
      await this.#app.restart()
      this.#events?.onSignal('reloaded')
    }
  }

  /** One thing after the other; each may change what is to be seen. */
  async #do<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined) // the caller sees it
    try {
      return await done
    } finally {
      this.#show()
    }
  }

  #show(): void {
    if (this.#app === undefined) return
    this.#events?.onPicture({ markup: this.#app.look(), apps: inspectedApps([this.#app.info]) })
  }

  #noteBuildError(error: Error): void {
    const [line] = this.#app?.developerLog().slice(-1) ?? []
    this.#events?.onDeveloperLine({
      number: (line?.number ?? 0) + 1,
      time: Date.now(),
      app: 'build',
      level: 'error',
      text: messageOf(error),
    })
  }
}
