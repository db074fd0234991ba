import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { AppDriver } from './app-driver.ts'
import { visible, type Output } from './output.ts'
import { messageOf } from './usage-error.ts'
import { watchApp } from './watch-app.ts'

const HELP = `Type commands as an agent gives them: execute add --text "Buy milk"
:reset starts the app without its data, :quit or the end of the input ends. Saving a source reloads the app with its data.`

/**
 * Runs an app while its sources change: prints what an agent sees whenever it changes, prints what the app's author should
 * know, and runs the commands that it reads. Ends with its input, or when `signal` aborts.
 */
export async function devCommand(
  { dir, input, signal }: { dir: string; input: Readable; signal: AbortSignal },
  output: Output,
): Promise<void> {
  const session = new DevSession(dir, output)
  const watcher = await watchApp(dir, {
    onReady: () => session.reload(),
    onError: (error) => {
      output.line(visible(`build failed: ${stripVTControlCharacters(messageOf(error))}`))
      session.tried()
    },
  })
  signal.addEventListener('abort', () => session.tried())
  output.line(HELP)
  try {
    await session.wasTried
    if (signal.aborted) return
    // Not before: what is read while nobody iterates is lost.
    for await (const line of createInterface({ input, signal })) {
      if (line.trim() === ':quit') break
      if (line.trim() === ':reset') session.reset()
      else if (line.trim() !== '') session.run(line)
    }
  } finally {
    await watcher.close()
    await session.close()
  }
}

/** The app and what is done with it, one thing after the other. */
class DevSession {
  /** Settles when the app was opened, or could not be: before that there is nothing to command. */
  readonly wasTried: Promise<void>
  tried: () => void = () => undefined
  readonly #dir: string
  readonly #output: Output
  #app: AppDriver | undefined
  #work: Promise<void> = Promise.resolve()
  #shown = ''
  #isBusy = false

  constructor(dir: string, output: Output) {
    this.#dir = dir
    this.#output = output
    this.wasTried = new Promise((resolve) => {
      this.tried = resolve
    })
  }

  reload(): void {
    this.#do(async () => {
      if (this.#app === undefined) await this.#open()
      else {
        await this.#app.restart()
        this.#output.line('reloaded')
      }
    })
  }

  reset(): void {
    this.#do(() => this.#open())
  }

  run(command: string): void {
    this.#do(async () => {
      if (this.#app === undefined) throw new Error('the app is not open yet')
      const { warnings } = await this.#app.execute(command)
      for (const warning of warnings) this.#output.line(`warning: ${warning}`)
    })
  }

  async close(): Promise<void> {
    await this.#work
    await this.#app?.close()
  }

  async #open(): Promise<void> {
    await this.#app?.close()
    this.#app = undefined
    this.#shown = ''
    this.#app = await AppDriver.open(this.#dir, {
      onDeveloperLine: (line) => this.#output.developerLine(line),
      onSignal: () => {
        if (!this.#isBusy) this.#show()
      },
    })
  }

  #do(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      this.#isBusy = true
      try {
        await work()
      } catch (error) {
        this.#output.line(messageOf(error))
      }
      this.#isBusy = false
      this.tried()
      this.#show()
    })
  }

  #show(): void {
    if (this.#app === undefined) return
    const { error } = this.#app.info
    const text = error === undefined ? this.#app.look() : `the app does not run: ${error.message}`
    if (text === this.#shown) return
    this.#shown = text
    this.#output.line(visible(text))
  }
}
