import { randomInt } from 'node:crypto'
import type { ParsedParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { ChildReaper } from '../sources/pty/child-reaper.ts'
import { programEnvironment } from '../sources/pty/environment.ts'
import { killTree, sessionMark } from '../sources/pty/process-tree.ts'
import { checkWorkingFolder, resolveProgram } from '../sources/pty/program.ts'
import { Session } from './session.ts'
import { policyOf } from './status-policy.ts'

const ID_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz' // no 0/o, 1/i/l: ids are read aloud and typed
const ID_LENGTH = 12 // 59 random bits: unique across machines, and a few characters suffice as a prefix

/** What the id of a session, and so the name of its folder, looks like. */
export const SESSION_ID_PATTERN = new RegExp(`^[${ID_ALPHABET}]{${ID_LENGTH}}$`)

/** What it takes to create a session: the size is decided. */
export type SessionRequest = ParsedParams<'session.create'> & { readonly cols: number; readonly rows: number }

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
  readonly #live = new Map<string, Session>()
  readonly #onCountChange: () => void
  #created = 0

  constructor(options: {
    home: Home
    reaper: ChildReaper
    now: () => number
    hostMark: bigint
    onCountChange: () => void
  }) {
    this.#home = options.home
    this.#reaper = options.reaper
    this.#now = options.now
    this.#hostMark = options.hostMark
    this.#onCountChange = options.onCountChange
  }

  get activeCount(): number {
    return this.#live.size
  }

  create(params: SessionRequest): Session {
    const id = createId()
    const cwd = params.cwd ?? process.cwd()
    checkWorkingFolder(cwd)
    const env = programEnvironment({
      base: params.base_env ?? process.env,
      set: params.env ?? {},
      session: id,
    })
    const [program = '', ...argv] = params.command ?? [env['SHELL'] ?? '/bin/sh']
    const file = resolveProgram(program, cwd, env)
    this.#assertNameFree(params.name)
    const { cols, rows } = params
    const manifest = this.#newManifest(id, { ...params, cwd, command: [program, ...argv] })
    const mark = sessionMark(this.#hostMark, ++this.#created)
    this.#home.createSessionFolder(id)
    try {
      const dependencies = { home: this.#home, reaper: this.#reaper, now: this.#now }
      const session = Session.start(dependencies, manifest, { file, argv, env, cwd, cols, rows, mark })
      this.#live.set(id, session)
      void session.whenClosed().then(() => {
        this.#live.delete(id)
        this.#onCountChange()
      })
      this.#onCountChange()
      return session
    } catch (error) {
      this.#home.removeSessionFolder(id)
      throw error
    }
  }

  /** All sessions, or the active ones, oldest first. */
  list(all: boolean): Manifest[] {
    return this.#home
      .readManifests()
      .map((manifest) => this.#live.get(manifest.session)?.manifest ?? manifest)
      .filter(({ status }) => all || policyOf(status).active)
  }

  /** By id, by the name of an active session, by the name of the latest ended one, or by a unique id prefix. */
  find(ref: string): FoundSession {
    const live = this.#live.get(ref) ?? this.#activeByName(ref)
    if (live !== undefined) return { manifest: live.manifest, live } // the common case reads no disk
    const manifests = this.list(true)
    const byId = manifests.find(({ session }) => session === ref)
    const named = manifests.filter(({ name }) => name === ref)
    const byName = named.find(({ status }) => policyOf(status).active) ?? named.at(-1)
    const manifest = byId ?? byName ?? this.#byPrefix(ref, manifests)
    return { manifest, live: this.#live.get(manifest.session) ?? null }
  }

  /** The live session behind a reference, or why it takes no command. */
  commandTarget(ref: string): Session {
    const { manifest, live } = this.find(ref)
    if (live !== null) return live
    const message = `session ${manifest.session} is ${manifest.status} and takes no input; "transom list" shows those that do`
    throw new OpError('session_ended', message, {
      session: manifest.session,
      status: manifest.status,
      exit: manifest.exit,
    })
  }

  /** Ends a session, or what an ended one has left running. */
  async destroy(ref: string): Promise<Manifest> {
    const { manifest, live } = this.find(ref)
    if (live !== null) return live.destroy()
    if (manifest.process_mark !== null) {
      await killTree({ mark: BigInt(manifest.process_mark), leaderPid: null }, this.#reaper)
    }
    return manifest
  }

  async destroyAll(): Promise<number> {
    const sessions = [...this.#live.values()]
    await Promise.all(sessions.map((session) => session.destroy()))
    return sessions.length
  }

  #newManifest(
    session: string,
    { name, command, cwd, cols, rows }: SessionRequest & { cwd: string; command: string[] },
  ): Manifest {
    return {
      version: 1,
      session,
      name: name ?? null,
      kind: 'terminal',
      status: 'starting',
      command,
      cwd,
      cols,
      rows,
      pid: null,
      created_at: new Date(this.#now()).toISOString(),
      ended_at: null,
      exit: null,
      failure: null,
      process_mark: null,
    }
  }

  #activeByName(name: string): Session | undefined {
    return [...this.#live.values()].find(
      ({ manifest }) => manifest.name === name && policyOf(manifest.status).active,
    )
  }

  #assertNameFree(name: string | undefined): void {
    if (name === undefined) return
    const holder = this.list(false).find((manifest) => manifest.name === name)
    if (holder === undefined) return
    const message = `session ${holder.session} is named ${JSON.stringify(name)} already; choose another name or destroy it`
    throw new OpError('name_taken', message, { name, session: holder.session })
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

function createId(): string {
  return Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join('')
}
