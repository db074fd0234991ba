import { randomInt } from 'node:crypto'
import { PROTOCOL_VERSION, type Actor } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { projectLog, type BlockProjection } from '../blocks/block-projection.ts'
import { isOfSession } from '../blocks/block-ids.ts'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { createEvents } from '../home/session-events.ts'
import { Changes } from '../lib/changes.ts'
import type { ChildReaper } from '../platform/child-reaper.ts'
import { killTree, sessionMark } from '../platform/process-tree.ts'
import type { Capabilities, Capability } from './capabilities.ts'
import { DiskWrites } from './disk-writes.ts'
import type { KindDefinition, SessionPlan } from './kind.ts'
import type { KindRegistry, SessionRequest } from './kind-registry.ts'
import { manifestFields } from './lifecycle.ts'
import type { SessionLimits } from './limits.ts'
import { LogCompression } from './log-compression.ts'
import { HomeUsage } from './quota.ts'
import { reconcile } from './reconcile.ts'
import { Session } from './session.ts'
import type { SessionLog } from './session-log.ts'
import { sessionTotals, type SessionTotals } from './session-totals.ts'
import { policyOf, takesNoInput } from './status-policy.ts'

const ID_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz' // no 0/o, 1/i/l: ids are read aloud and typed
const ID_LENGTH = 12 // 59 random bits: unique across machines, and a few characters suffice as a prefix

/** What the id of a session, and so the name of its folder, looks like. */
export const SESSION_ID_PATTERN = new RegExp(`^[${ID_ALPHABET}]{${ID_LENGTH}}$`)

/** A session as found by a reference: with its live part while it has one. */
export interface FoundSession {
  readonly manifest: Manifest
  readonly live: Session | null
  readonly log: SessionLog
}

export interface SessionsOptions {
  readonly home: Home
  readonly kinds: KindRegistry
  readonly reaper: ChildReaper
  readonly now: () => number
  readonly hostMark: bigint
  /** For what a request leaves open. */
  readonly limits: SessionLimits
  /** How long a segment of an Event Log may get. */
  readonly segmentBytesMax?: number
  readonly socket: string
  readonly onCountChange: () => void
  /** Called with an error that made a session fail. */
  readonly onError: (session: string, error: unknown) => void
}

/** The sessions of one Home: those that this host runs, and those that have ended. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #home: Home
  readonly #usage: HomeUsage
  readonly #live = new Map<string, Session>()
  readonly #writes: DiskWrites
  /** Of the logs of those that have ended. */
  readonly compression: LogCompression
  /** Announces that a session has come or gone. */
  readonly changes = new Changes()
  readonly #retired = { events: 0, logBytes: 0 }
  #created = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#home = options.home
    this.#usage = new HomeUsage(options.home)
    this.#writes = new DiskWrites(
      () => {},
      (error) => options.onError('', error),
    )
    this.compression = new LogCompression(options.home, (savedBytes) => {
      this.#usage.add(-savedBytes)
      this.#letGoOn()
      options.onCountChange()
    })
  }

  /** Those that this host runs. */
  get live(): Iterable<Session> {
    return this.#live.values()
  }

  get kinds(): KindRegistry {
    return this.#options.kinds
  }

  get activeCount(): number {
    return [...this.#live.values()].filter(({ manifest }) => policyOf(manifest.status).active).length
  }

  /** Active sessions, and ended ones that a full disk keeps from being saved. */
  get liveCount(): number {
    return this.#live.size
  }

  /** What has been recorded since this host started, and what is pending now. */
  get totals(): SessionTotals {
    return sessionTotals([...this.#live.values()], this.#retired)
  }

  /** Resolves when the session takes commands. If it fails to start, nothing of it is left. */
  async create(request: SessionRequest, actor: Actor): Promise<Session> {
    const id = createId()
    const { kind, plan } = this.#options.kinds.plan(id, request)
    await this.#assertNameFree(request.name)
    const taken = request.name === undefined ? undefined : this.#activeByName(request.name)
    if (taken !== undefined) throw nameTaken(taken.manifest) // by a create that overtook this one
    this.#home.createSessionFolder(id)
    try {
      const session = this.#start(this.#newManifest(id, kind, plan, request), { kind, plan, request, actor })
      this.#live.set(id, session)
      this.changes.announce()
      void session.whenClosed().then(() => this.#retire(session))
      this.#options.onCountChange()
      await session.whenOpen().catch(async (error: unknown) => this.#discard(session, error))
      return session
    } catch (error) {
      this.#home.removeSessionFolder(id)
      throw error
    }
  }

  #start(
    manifest: Manifest,
    {
      kind,
      plan,
      request,
      actor,
    }: { kind: KindDefinition; plan: SessionPlan; request: SessionRequest; actor: Actor },
  ): Session {
    const { home, now, onError, segmentBytesMax } = this.#options
    let session: Session | null = null
    const onSyncFailure = (error: OpError) => session?.diskFailed(error)
    const onShrunk = () => this.#letGoOn()
    const segment = segmentBytesMax === undefined ? {} : { segmentBytesMax }
    const log = createEvents(home, manifest.session, { now, onSyncFailure, onShrunk, ...segment })
    try {
      session = Session.start({
        home,
        now,
        usage: this.#usage,
        log,
        kind,
        plan,
        manifest,
        actor,
        limits: this.#limits(request),
        leasePolicy: request.lease_policy ?? 'open',
        onError: (error) => onError(manifest.session, error),
      })
      return session
    } catch (error) {
      // No caller waits for what was appended, and the folder is removed, so a failed sync does not matter.
      log.close().catch(() => {})
      throw error
    }
  }

  async #discard(session: Session, why: unknown): Promise<never> {
    this.#live.delete(session.id)
    await session.discard()
    this.#options.onCountChange()
    throw why
  }

  /** All sessions, or the active ones, oldest first; each as it really is, also after a crash of its host. */
  async list(all: boolean): Promise<Manifest[]> {
    const manifests: Manifest[] = []
    for (const manifest of this.#home.readManifests()) {
      const live = this.#live.get(manifest.session)
      const found = live?.manifest ?? (await reconcile(manifest, this.#options))
      if (live === undefined && found.status !== manifest.status) this.compression.add(manifest.session)
      manifests.push(found)
    }
    return manifests.filter(({ status }) => all || policyOf(status).active)
  }

  /**
   * By id, by the name of an active session, by the name of the latest ended one, by its conversation, by what exec
   * returned, or by a unique id prefix.
   */
  async find(ref: string): Promise<FoundSession> {
    const live = this.#live.get(ref) ?? this.#activeByName(ref)
    if (live !== undefined) return this.#found(live.manifest, live) // the common case reads no disk
    const manifests = await this.list(true)
    const byId = manifests.find(({ session }) => session === ref)
    const named = manifests.filter(({ name }) => name === ref)
    const byName = named.find(({ status }) => policyOf(status).active) ?? named.at(-1)
    const ofConversation = manifests.findLast(({ conversation }) => conversation === ref)
    const ofBlock = manifests.find(({ session }) => isOfSession(ref, session))
    const manifest = byId ?? byName ?? ofConversation ?? ofBlock ?? this.#byPrefix(ref, manifests)
    const found = this.#live.get(manifest.session) ?? null
    if (found === null && policyOf(manifest.status).active) throw elsewhere(manifest)
    return this.#found(manifest, found)
  }

  /** The live session that a reference names, or why it takes no command. */
  async commandTarget(ref: string): Promise<Session> {
    const { manifest, live } = await this.find(ref)
    if (live !== null) return live
    throw takesNoInput(manifest)
  }

  /** A capability of the live session that a reference names. */
  async capability<C extends Capability>(
    ref: string,
    wanted: C,
  ): Promise<{ session: Session; control: Capabilities[C] }> {
    const session = await this.commandTarget(ref)
    const control = session.capability(wanted)
    session.assertCommandable()
    return { session, control }
  }

  /** The first live session of which this holds. */
  findLive(holds: (session: Session) => boolean): Session | null {
    return [...this.#live.values()].find(holds) ?? null
  }

  /** The blocks of a session, read from its log. */
  async blocksOf(manifest: Manifest, signal?: AbortSignal): Promise<BlockProjection> {
    this.kinds.assertCapability(manifest, 'blocks')
    const live = this.#live.get(manifest.session)
    if (live !== undefined) return live.capability('blocks').projection
    return projectLog(this.#home.events(manifest.session), signal)
  }

  /** Ends a session, or what an ended one has left running. */
  async destroy(ref: string, actor: Actor): Promise<Manifest> {
    const { manifest, live } = await this.find(ref)
    if (live !== null) return live.destroy('destroy', actor)
    const { session, process_mark: mark } = manifest
    await killTree({ session, mark: BigInt(mark), leaderPid: null }, this.#options.reaper)
    return manifest
  }

  /** Counts again what the sessions take on disk, and lets those go on for which there is room now. */
  recountUsage(): void {
    this.#usage.recount()
    this.#letGoOn()
  }

  /** There may be room now for those that were paused at the Home's quota. */
  #letGoOn(): void {
    for (const session of this.#live.values()) session.setQuota({})
  }

  async destroyAll(actor?: Actor): Promise<number> {
    const sessions = [...this.#live.values()]
    await Promise.all(sessions.map((session) => session.destroy('destroy', actor)))
    for (const session of sessions) saveIfPossible(session) // the host may leave before the disk is tried again
    return sessions.length
  }

  /** From here on a session is known from disk; on a full one it stays in memory until it can be. */
  #retire(session: Session): void {
    if (!this.#live.has(session.id)) return // discarded
    this.#writes.write(
      () => session.save(),
      () => {
        this.#live.delete(session.id)
        this.#retired.events += session.log.seq
        this.#retired.logBytes += session.log.sizeBytes
        this.compression.add(session.id)
        this.#options.onCountChange()
      },
    )
  }

  #limits({ quota_bytes, quota_policy, idle_timeout_ms }: SessionRequest): SessionLimits {
    const { quota, idleTimeoutMs } = this.#options.limits
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
    { name: kind }: KindDefinition,
    { about }: SessionPlan,
    { name, follows }: SessionRequest,
  ): Manifest {
    const { now, hostMark, socket } = this.#options
    const conversation =
      follows === undefined ? {} : { conversation: follows.conversation, block_base: follows.lastOrdinal }
    return {
      ...conversation,
      ...about,
      version: 1,
      session,
      kind,
      name: name ?? null,
      created_at: new Date(now()).toISOString(),
      paused: null,
      process_mark: sessionMark(hostMark, ++this.#created).toString(),
      host_socket: socket,
      host_protocol: PROTOCOL_VERSION,
      ...manifestFields({ status: 'starting' }),
    }
  }

  #found(manifest: Manifest, live: Session | null): FoundSession {
    const onStored = (bytes: number) => this.#usage.add(bytes)
    const events = live?.log.events ?? this.#home.events(manifest.session, onStored)
    return { manifest, live, log: { events, kinds: this.kinds } }
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
      const message = `no session ${JSON.stringify(ref)} in ${this.#home.path}`
      const listed = next({ call: 'session.list', params: { all: true }, does: 'shows the ended ones too' })
      throw new OpError('session_not_found', message, { ref, home: this.#home.path, ...listed })
    }
    if (matches.length === 1) return only
    const candidates = matches.map(({ session }) => session)
    const message = `${matches.length} sessions have ids that begin with ${JSON.stringify(ref)}: ${candidates.join(', ')}; give more of it`
    throw new OpError('session_ambiguous', message, { ref, candidates })
  }
}

function saveIfPossible(session: Session): void {
  try {
    session.save()
  } catch (error) {
    if (!(error instanceof OpError)) throw error // a full disk: the next host finds out what its log proves
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
