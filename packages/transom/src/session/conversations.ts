import type { Actor } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import type { Manifest } from '../home/manifest.ts'
import type { SessionRequest } from './kind-registry.ts'
import type { Session } from './session.ts'
import type { FoundSession, Sessions } from './sessions.ts'

/**
 * Conversations, each with one terminal session at a time. When that has ended, or was reset, the next one takes its
 * place: the ordinals of its blocks go on, its output stream is a new one.
 */
export class Conversations {
  readonly #sessions: Sessions
  readonly #newSession: () => Omit<SessionRequest, 'follows'>
  readonly #opening = new Map<string, Promise<Session>>()

  /** `newSession` says what a conversation's session is started with. */
  constructor(sessions: Sessions, newSession: () => Omit<SessionRequest, 'follows'>) {
    this.#sessions = sessions
    this.#newSession = newSession
  }

  /** The live session of a conversation, or the live session of this name; else a new one, started in `cwd`. */
  async open(conversation: string, actor: Actor, cwd?: string): Promise<Session> {
    const live = this.#live(conversation)
    if (live !== null) return live
    const opening = this.#opening.get(conversation) ?? this.#start(conversation, actor, cwd)
    this.#opening.set(conversation, opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(conversation)
    }
  }

  /** As open(), without starting anything. */
  async get(conversation: string): Promise<Session> {
    const live = this.#live(conversation) ?? (await this.#opening.get(conversation))
    if (live !== undefined) return live
    const last = (await this.history(conversation)).at(-1)
    if (last === undefined) return this.#blocksTarget(conversation).catch(notFound(conversation))
    const message = `the shell of conversation ${JSON.stringify(conversation)} has ended; the next command in it starts another`
    throw new OpError('session_ended', message, {
      session: last.session,
      status: last.status,
      exit: last.exit,
    })
  }

  /**
   * Ends the session of a conversation, with everything that runs in it, and starts the next, where the live one was
   * started. If it has ended by itself the next starts in `cwd`, else where the last one did.
   */
  async reset(
    conversation: string,
    {
      actor,
      cwd,
      assertMayEnd,
    }: { actor: Actor; cwd: string | undefined; assertMayEnd: (session: Session) => void },
  ): Promise<{ session: string; previous_session: string | null }> {
    const live = this.#live(conversation)
    if (live === null && (await this.#named(conversation)) !== null) {
      const message = `${JSON.stringify(conversation)} is a session, not a conversation: destroy it and create another`
      throw new OpError('usage', message, { conversation_id: conversation })
    }
    if (live !== null) assertMayEnd(live)
    await live?.destroy('destroy', actor)
    const last = (await this.history(conversation)).at(-1)
    const next = await this.open(conversation, actor, live?.manifest.cwd ?? cwd ?? last?.cwd)
    return { session: next.id, previous_session: live?.id ?? null }
  }

  /** The session of a conversation, live or, when it has none any more, the last one it had. */
  async find(conversation: string): Promise<FoundSession> {
    const live = this.#live(conversation) ?? (await this.#opening.get(conversation))
    if (live !== undefined) return this.#sessions.find(live.id)
    const last = (await this.history(conversation)).at(-1)
    const found = await this.#sessions.find(last?.session ?? conversation).catch(notFound(conversation))
    this.#sessions.kinds.assertCapability(found.manifest, 'blocks')
    return found
  }

  /** The sessions that a conversation has had, oldest first. */
  async history(conversation: string): Promise<Manifest[]> {
    const all = await this.#sessions.list(true)
    return all.filter((manifest) => manifest.conversation === conversation)
  }

  #live(conversation: string): Session | null {
    return this.#sessions.findLive(
      ({ manifest }) => manifest.conversation === conversation && manifest.status === 'running',
    )
  }

  async #blocksTarget(ref: string): Promise<Session> {
    return (await this.#sessions.capability(ref, 'blocks')).session
  }

  async #start(conversation: string, actor: Actor, cwd: string | undefined): Promise<Session> {
    const named = await this.#named(conversation)
    if (named !== null) return named
    const last = (await this.history(conversation)).at(-1)
    const lastOrdinal = last === undefined ? 0 : await this.#lastOrdinal(last)
    const request = { ...this.#newSession(), follows: { conversation, lastOrdinal } }
    return this.#sessions.create(cwd === undefined ? request : { ...request, cwd }, actor)
  }

  async #lastOrdinal(manifest: Manifest): Promise<number> {
    const blocks = (await this.#sessions.blocksOf(manifest)).blocks()
    return blocks.reduce((last, { seq }) => Math.max(last, seq), manifest.block_base ?? 0)
  }

  /** A session that was created by name or is meant by its id. */
  async #named(ref: string): Promise<Session | null> {
    const live = this.#sessions.findLive(
      ({ id, manifest }) => (id === ref || manifest.name === ref) && manifest.status === 'running',
    )
    live?.capability('blocks')
    return live
  }
}

function notFound(conversation: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof OpError) || error.code !== 'session_not_found') throw error
    const message = `no session or conversation ${JSON.stringify(conversation)}`
    const steps = next(
      { call: 'session.list', params: { all: true }, does: 'shows the sessions' },
      { call: 'session.create', params: { name: conversation, command: ['bash'] }, does: 'makes one' },
    )
    const details = { ...error.details, conversation_id: conversation, ...steps } // `ref` and `home`, too
    throw new OpError('conversation_not_found', message, details)
  }
}
