import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Actor, Fact, LeasePolicy, LeaseRole, LeaseState, WriteRight } from '@transom/protocol'
import { OpError, next, quote, type NextStep } from '@transom/protocol/errors'

/** 128 bits cannot be guessed. */
const HANDLE_BYTES = 16
/** Requests that are shown; more than so many callers do not wait for one lease. */
const REQUESTS_MAX = 20

export interface LeaseRequest {
  readonly actor: Actor
  readonly role: LeaseRole
  readonly note: string | null
  readonly keepMs: number
  readonly takeover: boolean
  /** Whether the holder stays connected: the lease does not end before left(). */
  readonly connected: boolean
  /** A lease that the caller may have already. */
  readonly handle: string | null
}

/** What a lease needs of its session. */
export interface LeasedSession {
  readonly id: string
  now(): number
  /** Records a change before it takes effect; throws if the disk refuses. */
  commit(fact: Fact<'lease'>): void
  /** Records a change that no caller waits for. Retried while the disk is full. */
  append(fact: Fact<'lease'>): void
  /** Input that the program has not been sent yet. */
  queuedBytes(): number
  dropQueued(): void
  /** Those that wait look again. */
  announce(): void
  /** Calls back after a time, unless the returned function is called first. */
  timeout(ms: number, callback: () => void): () => void
}

interface Holder {
  readonly handle: string
  readonly actor: Actor
  readonly role: LeaseRole
  readonly note: string | null
  readonly sinceMs: number
  readonly keepMs: number
}

interface Ask {
  readonly actor: Actor
  readonly note: string | null
  readonly sinceMs: number
}

/**
 * Decides who may write to a session. At most one caller holds the lease. Each change of hands begins an epoch, and an
 * input is applied only in the epoch in which it was admitted: what waited in a queue meanwhile is refused.
 */
export class Lease {
  readonly policy: LeasePolicy
  readonly #session: LeasedSession
  #epoch = 0
  #holder: Holder | null = null
  #requests: Ask[] = []
  #lastSeenMs = 0
  #connected = false
  #stopTimer: () => void = () => {}

  constructor(session: LeasedSession, policy: LeasePolicy) {
    this.#session = session
    this.policy = policy
  }

  get epoch(): number {
    return this.#epoch
  }

  get state(): LeaseState {
    const shown = ({ actor, note }: Ask) => {
      const label = actor.actor_label === undefined ? {} : { actor_label: actor.actor_label }
      return { actor: actor.actor, ...label, note }
    }
    const holder = this.#holder
    return {
      session: this.#session.id,
      policy: this.policy,
      epoch: this.#epoch,
      holder:
        holder === null
          ? null
          : { ...shown(holder), role: holder.role, since: holder.sinceMs, keep_ms: holder.keepMs },
      requests: this.#requests.map((ask) => ({ ...shown(ask), since: ask.sinceMs })),
    }
  }

  /** Gives the lease to a caller; returns what it acts under. The holder keeps what it has. */
  take(request: LeaseRequest): string {
    const holder = this.#holder
    if (holder !== null && this.holds(request.handle)) {
      this.#seen()
      return holder.handle
    }
    if (holder !== null && !request.takeover && !this.#yields(holder, request.role)) throw this.#held(holder)
    const { actor, role, note, keepMs } = request
    const change = holder === null ? 'taken' : 'taken_over'
    this.#session.commit({ ...actor, change, ...this.#next(), role, ...noteOf(note) })
    const handle = randomBytes(HANDLE_BYTES).toString('base64url')
    this.#holder = { handle, actor, role, note, keepMs, sinceMs: this.#session.now() }
    this.#seen()
    this.#connected = request.connected
    this.#expireLater(keepMs)
    this.#nextEpoch()
    return handle
  }

  /** Ends the lease. Throws if the caller does not hold it any more. */
  give(handle: string, actor: Actor, note: string | null): void {
    if (!this.holds(handle)) throw this.#changed('this lease has ended')
    this.#session.commit({ ...actor, change: 'given', ...this.#next(), ...noteOf(note) })
    this.#ended()
  }

  /** The holder's connection was closed: the lease is kept for as long as was stated. */
  left(handle: string): void {
    if (this.#holder === null || !this.holds(handle)) return
    this.#connected = false
    this.#seen()
    this.#expireLater(this.#holder.keepMs)
  }

  /** Asks the holder to give the lease back. */
  request(actor: Actor, note: string | null): void {
    this.#session.commit({ ...actor, change: 'requested', epoch: this.#epoch, ...noteOf(note) })
    this.#requests = [...this.#requests, { actor, note, sinceMs: this.#session.now() }].slice(-REQUESTS_MAX)
    this.#session.announce()
  }

  /** Whether a caller could write now. */
  isOpenTo(handle: string | null): boolean {
    if (this.#holder !== null) return this.holds(handle)
    return this.policy !== 'lease_required'
  }

  /** Whether a caller holds the lease. */
  holds(handle: string | null): boolean {
    if (handle === null || this.#holder === null) return false
    const [given, own] = [Buffer.from(handle), Buffer.from(this.#holder.handle)]
    return given.length === own.length && timingSafeEqual(given, own)
  }

  /** The right of a caller to write from now on, or as of an earlier epoch. Throws if it has none. */
  admit(handle: string | null, epoch = this.#epoch): WriteRight {
    const right = { handle, epoch }
    this.assert(right)
    return right
  }

  allows(right: WriteRight): boolean {
    try {
      this.assert(right)
      return true
    } catch (error) {
      if (error instanceof OpError) return false
      throw error
    }
  }

  /** Throws if a right has ended. Called again right before each write. */
  assert(right: WriteRight): void {
    const holder = this.#holder
    if (holder !== null) {
      if (!this.holds(right.handle)) throw this.#held(holder)
      this.#seen()
      return
    }
    if (right.handle !== null) throw this.#changed('this lease has ended')
    if (this.policy === 'lease_required') throw this.#required()
    if (right.epoch !== this.#epoch) throw this.#changed('the lease was taken and given back meanwhile')
  }

  #yields(holder: Holder, role: LeaseRole): boolean {
    return this.policy === 'people_first' && role === 'person' && holder.role === 'agent'
  }

  #seen(): void {
    this.#lastSeenMs = this.#session.now()
  }

  #expireLater(ms: number): void {
    this.#stopTimer()
    this.#stopTimer = this.#session.timeout(ms, () => {
      const holder = this.#holder
      if (holder === null) return
      if (this.#connected) return // left() sets the next one
      const leftMs = holder.keepMs - (this.#session.now() - this.#lastSeenMs)
      if (leftMs > 0) return this.#expireLater(leftMs)
      this.#session.append({ ...holder.actor, change: 'expired', ...this.#next() })
      this.#ended()
    })
  }

  #ended(): void {
    this.#stopTimer()
    this.#holder = null
    this.#nextEpoch()
  }

  /** The fields of a change of hands. */
  #next(): Pick<Fact<'lease'>, 'epoch' | 'dropped_bytes'> {
    const dropped = this.#session.queuedBytes()
    return { epoch: this.#epoch + 1, ...(dropped === 0 ? {} : { dropped_bytes: dropped }) }
  }

  /** Input that was admitted before and is still on its way must not reach the program. */
  #nextEpoch(): void {
    this.#session.dropQueued()
    this.#epoch++
    this.#requests = []
    this.#session.announce()
  }

  #held({ actor, role, note, sinceMs }: Holder): OpError {
    const since = new Date(sinceMs).toISOString()
    const message = `session ${this.#session.id} is held by ${actor.actor} (${role}) since ${since}, and nothing was sent`
    return new OpError('held', message, { ...this.state, ...quote(note ?? ''), ...next(...this.#advice()) })
  }

  #required(): OpError {
    const { id } = this.#session
    const message = `session ${id} takes input only from the holder of its lease, and nothing was sent`
    const take = next({ call: 'session.lease_take', params: { session: id }, does: 'takes it' })
    return new OpError('lease_required', message, { ...this.state, ...take })
  }

  /** For a wait: what it waited for may be another caller's doing. */
  changedError(seen: Record<string, unknown>): OpError {
    const now = this.#holder === null ? 'is free again' : `is held by ${this.#holder.actor.actor}`
    const message = `the session changed hands during the wait, and ${now}. Look at the screen before you go on`
    const details = { ...this.state, ...seen, ...quote(this.#holder?.note ?? ''), ...next(...this.#advice()) }
    return new OpError('lease_changed', message, details)
  }

  #changed(why: string): OpError {
    const message = `session ${this.#session.id}: ${why}, and nothing was sent. Look at the screen before you go on`
    return new OpError('lease_changed', message, { ...this.state })
  }

  #advice(): NextStep[] {
    const session = this.#session.id
    return [
      { call: 'session.wait', params: { session, writable: true }, does: 'waits until it is free' },
      { call: 'session.lease_request', params: { session }, does: 'asks for it' },
    ]
  }
}

function noteOf(note: string | null): { note?: string } {
  return note === null ? {} : { note }
}
