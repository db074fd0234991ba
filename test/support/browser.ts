import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { until } from './until.ts'

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { message: string }
}

/** A headless browser with one page, spoken to over a pipe. Network is off unless asked for. */
export class Browser {
  readonly #child: ChildProcess
  readonly #profile: string
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  readonly #closed: Promise<void>
  #lastId = 0
  #page = ''
  #rest = ''

  static async open({ offline = true }: { offline?: boolean } = {}): Promise<Browser> {
    const browser = new Browser()
    const { targetId } = await browser.#send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await browser.#send('Target.attachToTarget', { targetId, flatten: true })
    browser.#page = String(sessionId)
    await browser.#send('Network.enable')
    await browser.#send('Network.emulateNetworkConditions', {
      offline,
      latency: 0,
      downloadThroughput: offline ? 0 : -1,
      uploadThroughput: offline ? 0 : -1,
    })
    return browser
  }

  private constructor() {
    this.#profile = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-browser-'))
    const args = [
      '--remote-debugging-pipe',
      '--no-sandbox',
      '--disable-gpu',
      `--user-data-dir=${this.#profile}`,
    ]
    this.#child = spawn('chromium-headless-shell', args, {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    })
    const answers = this.#child.stdio[4] as Readable // as asked for above
    answers.setEncoding('utf8').on('data', (chunk: string) => this.#onData(chunk))
    this.#closed = new Promise((resolve) => this.#child.on('exit', () => resolve()))
  }

  async goto(url: string): Promise<void> {
    await this.#send('Page.navigate', { url })
    await this.evaluate(`new Promise((resolve) => {
      if (document.readyState === 'complete') resolve(true)
      else addEventListener('load', () => resolve(true))
    })`)
  }

  /** The value of an expression in the page; a promise is awaited there. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(`in the page: ${JSON.stringify(exceptionDetails)}`)
    return (result as { value: T }).value
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
    for (const stream of this.#child.stdio) stream?.destroy()
    // Its other processes end after it, and may write until then.
    await until('the profile is removed', () => {
      try {
        fs.rmSync(this.#profile, { recursive: true, force: true })
        return true
      } catch {
        return false
      }
    })
  }

  async #send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#lastId
    const session = this.#page === '' ? {} : { sessionId: this.#page }
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve)
      const input = this.#child.stdio[3] as Writable
      input.write(`${JSON.stringify({ id, method, params, ...session })}\0`)
    })
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`)
    return reply.result ?? {}
  }

  #onData(chunk: string): void {
    const messages = `${this.#rest}${chunk}`.split('\0')
    this.#rest = messages.pop() ?? ''
    for (const message of messages) {
      const reply = JSON.parse(message) as Reply
      if (reply.id === undefined) continue
      this.#waiting.get(reply.id)?.(reply)
      this.#waiting.delete(reply.id)
    }
  }
}
