import { randomInt } from 'node:crypto'
import { PROTOCOL_VERSION } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { ChildReaper } from '../sources/pty/child-reaper.ts'
import { killTree, sessionMark } from '../sources/pty/process-tree.ts'
import type { FrameDecoder } from '../sources/web/frame-decoder.ts'
import { projectLog, type BlockProjection } from './block-projection.ts'
import { reconcile } from './reconcile.ts'
import { DiskSteps } from './disk-steps.ts'
import { HomeUsage } from './quota.ts'
import type { SessionLimits } from './limits.ts'
import type { Session } from './session.ts'
import { asTerminal, asWeb } from './session-kind.ts'
import { planSession, type PlanDependencies, type SessionPlan, type SessionRequest } from './session-plan.ts'
import { sessionTotals, type SessionTotals } from './session-totals.ts'
import { policyOf } from './status-policy.ts'
import type { TerminalSession } from './terminal-session.ts'
import type { WebSession } from './web-session.ts'

const ID_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz' // no 0/o, 1/i/l: ids are read aloud and typed
const ID_LENGTH = 12 // 59 random bits: unique across machines, and a few characters suffice as a prefix

/** What the id of a session, and so the name of its folder, looks like. */
export const SESSION_ID_PATTERN = new RegExp(`^[${ID_ALPHABET}]{${ID_LENGTH}}$`)

/** A session as found by a reference: with its live part while it has one. */
export interface FoundSession {
  readonly manifest: Manifest
  readonly live: Session | null
}

/** The sessions of one Home: those that this host runs, and those that have ended. */
export class Sessions {
  readonly #home: Home
  readonly #reaper: ChildReaper
  readonly #now: () => number
  readonly #hostMark: bigint
  readonly #usage: HomeUsage
  readonly #dependencies: PlanDependencies
  readonly #defaults: SessionLimits
  readonly #socket: string
  readonly #live = new Map<string, Session>()
  readonly #disk = new DiskSteps(() => {})
  readonly #onCountChange: () => void
  readonly #retired = { events: 0, logBytes: 0 }
  #created = 0

  constructor(options: {
    home: Home
    reaper: ChildReaper
    /** Reads the frames of web pages. */
    decoder: FrameDecoder
    now: () => number
    hostMark: bigint
    /** Of a terminal, when a request does not say. */
    size: { cols: number; rows: number }
    /** For what a request leaves open. */
    limits: SessionLimits
    socket: string
    onCountChange: () => void
  }) {
    this.#home = options.home
    this.#reaper = options.reaper
    this.#now = options.now
    this.#hostMark = options.hostMark
    this.#usage = new HomeUsage(options.home)
    this.#dependencies = { ...options, usage: this.#usage }
    this.#defaults = options.limits
    this.#socket = options.socket
    this.#onCountChange = options.onCountChange
  }

  get activeCount(): number {
    return this.#live.size
  }

  /** What has been recorded since this host started, and what is pending now. */
  get totals(): SessionTotals {
    return sessionTotals([...this.#live.values()], this.#retired)
  }

  /** Resolves when the session takes commands. When it cannot be started nothing of it is left. */
  async create(request: SessionRequest): Promise<Session> {
    const id = createId()
    const plan = planSession(id, request, this.#dependencies)
    await this.#assertNameFree(request.name)
    const taken = request.name === undefined ? undefined : this.#activeByName(request.name)
    if (taken !== undefined) throw nameTaken(taken.manifest) // by a create that overtook this one
    const mark = sessionMark(this.#hostMark, ++this.#created)
    this.#home.createSessionFolder(id)
    try {
      const session = plan.start(this.#newManifest(id, mark, request, plan.about), this.#limits(request))
      this.#live.set(id, session)
      void session.whenClosed().then(() => this.#retire(session))
      this.#onCountChange()
      await session.whenOpen().catch(async (error: unknown) => this.#takeBack(session, error))
      return session
    } catch (error) {
      this.#home.removeSessionFolder(id)
      throw error
    }
  }

  async #takeBack(session: Session, why: unknown): Promise<never> {
    this.#live.delete(session.id)
    await session.abandon()
    this.#onCountChange()
    throw why
  }

  /** All sessions, or the active ones, oldest first; each as it really is, also after a crash of its host. */
  async list(all: boolean): Promise<Manifest[]> {
    const manifests: Manifest[] = []
    for (const manifest of this.#home.readManifests()) {
      const live = this.#live.get(manifest.session)
      manifests.push(live?.manifest ?? (await reconcile(this.#home, manifest, this.#now)))
    }
    return manifests.filter(({ status }) => all || policyOf(status).active)
  }

  /** By id, by the name of an active session, by the name of the latest ended one, or by a unique id prefix. */
  async find(ref: string): Promise<FoundSession> {
    const live = this.#live.get(ref) ?? this.#activeByName(ref)
    if (live !== undefined) return { manifest: live.manifest, live } // the common case reads no disk
    const manifests = await this.list(true)
    const byId = manifests.find(({ session }) => session === ref)
    const named = manifests.filter(({ name }) => name === ref)
    const byName = named.find(({ status }) => policyOf(status).active) ?? named.at(-1)
    const manifest = byId ?? byName ?? this.#byPrefix(ref, manifests)
    const found = this.#live.get(manifest.session) ?? null
    if (found === null && policyOf(manifest.status).active) throw elsewhere(manifest)
    return { manifest, live: found }
  }

  /** The live session behind a reference, or why it takes no command. */
  async commandTarget(ref: string): Promise<Session> {
    const { manifest, live } = await this.find(ref)
    if (live !== null) return live
    const message = `session ${manifest.session} is ${manifest.status} and takes no input; "transom list" shows those that do`
    throw new OpError('session_ended', message, {
      session: manifest.session,
      status: manifest.status,
      exit: manifest.exit,
    })
  }

  /** As commandTarget(), for what only a terminal can be told. */
  async terminalTarget(ref: string): Promise<TerminalSession> {
    return asTerminal(await this.commandTarget(ref))
  }

  /** As commandTarget(), for what only a web page can be told. */
  async webTarget(ref: string): Promise<WebSession> {
    return asWeb(await this.commandTarget(ref))
  }

  /** The first live session of which this holds; it must be a terminal. */
  liveTerminal(holds: (session: Session) => boolean): TerminalSession | null {
    const found = [...this.#live.values()].find(holds)
    return found === undefined ? null : asTerminal(found)
  }

  /** What the log of a session tells of its blocks. */
  async blocksOf({ session }: Manifest, signal?: AbortSignal): Promise<BlockProjection> {
    const live = this.#live.get(session)
    return live === undefined ? projectLog(this.#home.events(session), signal) : asTerminal(live).blocks
  }

  /** Ends a session, or what an ended one has left running. */
  async destroy(ref: string): Promise<Manifest> {
    const { manifest, live } = await this.find(ref)
    if (live !== null) return live.destroy()
    await killTree({ mark: BigInt(manifest.process_mark), leaderPid: null }, this.#reaper)
    return manifest
  }

  /** Counts again what the sessions take on disk, and lets those go on for which there is room now. */
  recountUsage(): void {
    this.#usage.recount()
    for (const session of this.#live.values()) session.setQuota({})
  }

  async destroyAll(): Promise<number> {
    const sessions = [...this.#live.values()]
    await Promise.all(sessions.map((session) => session.destroy()))
    return sessions.length
  }

  /** From here on a session is known from disk; on a full one it stays in memory until it can be. */
  #retire(session: Session): void {
    if (!this.#live.has(session.id)) return // taken back
    this.#disk.run(() => {
      session.save()
      this.#live.delete(session.id)
      this.#retired.events += session.log.seq
      this.#retired.logBytes += session.log.sizeBytes
      this.#onCountChange()
    })
  }

  #limits({ quota_bytes, quota_policy, idle_timeout_ms }: SessionRequest): SessionLimits {
    const { quota, idleTimeoutMs } = this.#defaults
    return {
      quota: {
        ...quota,
        sessionBytes: quota_bytes ?? quota.sessionBytes,
        policy: quota_policy ?? quota.policy,
      },
      idleTimeoutMs: idle_timeout_ms ?? idleTimeoutMs,
    }
  }

  #newManifest(
    session: string,
    mark: bigint,
    { name, follows }: SessionRequest,
    about: SessionPlan['about'],
  ): Manifest {
    const conversation =
      follows === undefined ? {} : { conversation: follows.conversation, block_base: follows.lastOrdinal }
    return {
      ...conversation,
      ...about,
      version: 1,
      session,
      name: name ?? null,
      status: 'starting',
      pid: null,
      created_at: new Date(this.#now()).toISOString(),
      ended_at: null,
      exit: null,
      failure: null,
      ended_by: null,
      paused: null,
      process_mark: mark.toString(),
      host_socket: this.#socket,
      host_protocol: PROTOCOL_VERSION,
    }
  }

  #activeByName(name: string): Session | undefined {
    return [...this.#live.values()].find(
      ({ manifest }) => manifest.name === name && policyOf(manifest.status).active,
    )
  }

  async #assertNameFree(name: string | undefined): Promise<void> {
    if (name === undefined) return
    const holder = (await this.list(false)).find((manifest) => manifest.name === name)
    if (holder !== undefined) throw nameTaken(holder)
  }

  #byPrefix(ref: string, manifests: readonly Manifest[]): Manifest {
    const matches = manifests.filter(({ session }) => session.startsWith(ref))
    const [only] = matches
    if (only === undefined) {
      const message = `no session ${JSON.stringify(ref)} in ${this.#home.path}; "transom list --all" shows the ended ones too`
      throw new OpError('session_not_found', message, { ref, home: this.#home.path })
    }
    if (matches.length === 1) return only
    const candidates = matches.map(({ session }) => session)
    const message = `${matches.length} sessions have ids that begin with ${JSON.stringify(ref)}: ${candidates.join(', ')}; give more of it`
    throw new OpError('session_ambiguous', message, { ref, candidates })
  }
}

function elsewhere({ session, host_socket, host_protocol }: Manifest): OpError {
  const message = `session ${session} is run by another host of this Home, on ${host_socket}`
  return new OpError('session_elsewhere', message, { session, socket: host_socket, protocol: host_protocol })
}

function nameTaken({ session, name }: Manifest): OpError {
  const message = `session ${session} is named ${JSON.stringify(name)} already; choose another name or destroy it`
  return new OpError('name_taken', message, { name, session })
}

function createId(): string {
  return Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join('')
}
