import * as fs from 'node:fs'
import * as path from 'node:path'
import { actorName, isOperationName, type LocalPrincipal } from '@transom/protocol'
import { fileError } from '../lib/system-error.ts'

const LOG_BYTES_MAX = 10 << 20 // some 80,000 requests; the one before is kept beside it
const NAME_CHARS_MAX = 64 // a session's name has no more; what is longer is a mistake and may be anything

/** Receives the events of a connection. */
export interface ConnectionObserver {
  /** Returns the number of the connection. */
  opened(peer: LocalPrincipal): number
  request(request: ObservedRequest): void
  closed(connection: number): void
}

export interface ObservedRequest {
  readonly connection: number
  /** Null for a notification. */
  readonly id: string | number | null
  readonly operation: string
  readonly params: unknown
  readonly durationMs: number
  /** null if the request succeeded. */
  readonly error: string | null
}

/**
 * Lines of JSON about what a host is asked, for finding faults. What was typed, an environment or any other value
 * may be a secret, so only its size is logged.
 */
export class DebugLog implements ConnectionObserver {
  readonly path: string
  #fd: number | null = null
  #sizeBytes = 0
  #lastConnection = 0

  constructor(home: string) {
    this.path = path.join(home, 'host-debug.log')
  }

  get enabled(): boolean {
    return this.#fd !== null
  }

  enable(): void {
    if (this.#fd !== null) return
    this.#open()
    this.#write({ event: 'debug_on' })
  }

  disable(): void {
    if (this.#fd === null) return
    this.#write({ event: 'debug_off' })
    fs.closeSync(this.#fd)
    this.#fd = null
  }

  opened(peer: LocalPrincipal): number {
    this.#lastConnection++
    this.#write({ event: 'connected', connection: this.#lastConnection, peer: actorName(peer) })
    return this.#lastConnection
  }

  closed(connection: number): void {
    this.#write({ event: 'disconnected', connection })
  }

  request({ connection, id, operation, params, durationMs, error }: ObservedRequest): void {
    if (this.#fd === null) return
    this.#write({
      event: 'request',
      connection,
      id: typeof id === 'string' ? id.slice(0, NAME_CHARS_MAX) : id,
      operation: isOperationName(operation) ? operation : 'unknown',
      ...parameterSizes(params),
      ms: Math.round(durationMs * 1000) / 1000,
      error,
    })
  }

  #open(): void {
    try {
      this.#fd = fs.openSync(this.path, 'a', 0o600)
      this.#sizeBytes = fs.fstatSync(this.#fd).size
    } catch (error) {
      throw fileError(error, `open the debug log ${this.path}`, { path: this.path })
    }
  }

  #write(entry: object): void {
    if (this.#fd === null) return
    const line = `${JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...entry })}\n`
    try {
      if (this.#sizeBytes >= LOG_BYTES_MAX) this.#rotate(this.#fd)
      this.#sizeBytes += fs.writeSync(this.#fd, line)
    } catch {
      return // a full disk: sessions must go on, and a lost line of this log does no harm
    }
  }

  #rotate(fd: number): void {
    // A dedicated host of the same Home writes to the same file and may have moved it already.
    if (fs.statSync(this.path).ino === fs.fstatSync(fd).ino) fs.renameSync(this.path, `${this.path}.1`)
    fs.closeSync(fd)
    this.#fd = null
    this.#open()
  }
}

/** The session by name, and of every other parameter only how long it is. */
function parameterSizes(params: unknown): object {
  if (typeof params !== 'object' || params === null) return {}
  const { session, ...others } = params as Record<string, unknown> // not validated yet
  const sizes = Object.entries(others).flatMap(([name, value]) => {
    if (typeof value === 'string' || Array.isArray(value)) return [[name, value.length] as const]
    if (typeof value === 'object' && value !== null) return [[name, Object.keys(value).length] as const]
    return []
  })
  return {
    ...(typeof session === 'string' ? { session: session.slice(0, NAME_CHARS_MAX) } : {}),
    ...(sizes.length === 0 ? {} : { sizes: Object.fromEntries(sizes) }),
  }
}
