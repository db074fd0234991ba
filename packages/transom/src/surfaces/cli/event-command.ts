import type { WatchEvent } from './watcher.ts'

const WAITING_MAX = 1000 // a command that is slower than the events for this long never catches up

/** Runs a shell command at each event, one after another and in order. */
export class EventCommand {
  readonly #command: string
  readonly #env: NodeJS.ProcessEnv
  readonly #warn: (text: string) => void
  #last: Promise<void> = Promise.resolve()
  #waitingCount = 0

  constructor(command: string, env: NodeJS.ProcessEnv, warn: (text: string) => void) {
    this.#command = command
    this.#env = env
    this.#warn = warn
  }

  run(event: WatchEvent): void {
    if (this.#waitingCount >= WAITING_MAX) {
      this.#warn(`watch: ${event.event} is left out: ${WAITING_MAX} commands are still to be run`)
      return
    }
    this.#waitingCount++
    this.#last = this.#last.then(async () => {
      await this.#runNow(event)
      this.#waitingCount--
    })
  }

  /** Resolves when every command has ended. */
  async whenDone(): Promise<void> {
    await this.#last
  }

  async #runNow({ event, session, text }: WatchEvent): Promise<void> {
    const { spawn } = await import('node:child_process') // only a watch with --exec needs it
    const child = spawn('/bin/sh', ['-c', this.#command], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...this.#env,
        TRANSOM_EVENT: event,
        TRANSOM_SESSION: session,
        TRANSOM_TEXT: text.replaceAll('\0', ''), // the one character that an environment cannot hold
      },
    })
    const failure = await new Promise<string | null>((resolve) => {
      child.on('error', (error) => resolve(error.message))
      child.on('close', (code, signal) => resolve(code === 0 ? null : `it ended with ${signal ?? code}`))
    })
    if (failure !== null) this.#warn(`watch: the command for ${event} failed: ${failure}`)
  }
}
