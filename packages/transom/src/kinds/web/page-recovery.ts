import { OpError } from '@transom/protocol/errors'
import { CdpError } from './cdp-client.ts'

/** What brings a page back when something below it has ended or hangs: one attempt at a time. */
export class Recovery {
  #running: Promise<void> | null = null

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Resolves when no attempt is under way, whichever way it went. */
  async done(): Promise<void> {
    await this.#running
  }

  /** Begins an attempt. If it fails, `onFailure` gets the reason, after it is over. */
  start(attempt: () => Promise<void>, onFailure: (failure: Error) => void): void {
    this.#running = attempt()
      .then(() => null)
      .catch((failure: Error) => failure)
      .then((failure) => {
        this.#running = null
        if (failure !== null) onFailure(failure)
      })
  }
}

/** Chromium's error for a tab that was replaced during a call, reworded with what to do. */
export function replacedMeanwhile(error: unknown): OpError | null {
  if (!(error instanceof CdpError) || !/not found|crashed|closed|detached/i.test(error.message)) return null
  return new OpError('page_crashed', `the page was replaced meanwhile (${error.message}); try again`)
}
