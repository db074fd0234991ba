import type { CreatedEvent, ParsedParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { problemsOf, usageError } from './bad-parameters.ts'
import type { Manifest } from '../home/manifest.ts'
import { CAPABILITY_WORDS, type Capability } from './capabilities.ts'
import type { CommonRequest, KindDefinition, KindView, SessionPlan } from './kind.ts'
import type { Projection } from './projection.ts'

/** The kinds that this process knows from their logs. */
export class KindViews<View extends KindView = KindView> {
  protected readonly kinds = new Map<string, View>()

  constructor(kinds: readonly View[] = []) {
    for (const kind of kinds) this.register(kind)
  }

  register(kind: View): void {
    if (this.kinds.has(kind.name)) throw new Error(`there is a kind ${kind.name} already`)
    this.kinds.set(kind.name, kind)
  }

  find(name: string): View | undefined {
    return this.kinds.get(name)
  }

  get(name: string): View {
    const kind = this.find(name)
    if (kind !== undefined) return kind
    const message = `this version of Transom has no sessions of kind ${JSON.stringify(name)}; there are: ${[...this.kinds.keys()].join(', ')}`
    throw new OpError('usage', message, { kind: name })
  }

  /** The state of a session at its beginning. */
  project(created: CreatedEvent): Projection {
    return this.get(created.kind).project(created)
  }

  /** The state of a session at a checkpoint; null for one that cannot be used. */
  restore(created: CreatedEvent, checkpoint: Uint8Array): Projection | null {
    return this.get(created.kind).restore?.(created, checkpoint) ?? null
  }

  /** Throws unless a session, live or ended, has this capability. */
  assertCapability({ session, kind }: Pick<Manifest, 'session' | 'kind'>, wanted: Capability): void {
    const { capabilities, words } = this.get(kind)
    if (!capabilities.has(wanted)) throw wrongKind({ session, kind, words }, wanted)
  }
}

/** What a request to create a session may have. */
export type SessionRequest = Omit<ParsedParams<'session.create'>, 'dedicated'> &
  Pick<CommonRequest, 'follows'>

/** The kinds whose sessions this process can run. */
export class KindRegistry extends KindViews<KindDefinition> {
  /** Adds a kind. The first one is the default for a request that does not determine a kind. */
  add<Options, P extends Projection>(kind: KindDefinition<Options, P>): this {
    this.register(kind)
    return this
  }

  /** What it takes to start a session. Throws for what cannot be started. */
  plan(id: string, request: SessionRequest): { kind: KindDefinition; plan: SessionPlan } {
    const { kind: named, ...rest } = request
    const { common, others } = splitRequest(rest)
    const all = [...this.kinds.values()]
    const kind = named === undefined ? (all.find((it) => it.isMeantBy(others)) ?? all[0]) : this.get(named)
    if (kind === undefined) throw new Error('no kind was registered')
    const options = kind.options.safeParse(others)
    if (options.success) return { kind, plan: kind.plan({ id, common, options: options.data }) }
    const foreign = options.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys : [],
    )
    const details = { kind: kind.name, parameters: foreign }
    if (foreign.length === 0) throw usageError(problemsOf(options.error.issues, others), details)
    const names = foreign.map((name) => `\`${name}\``).join(', ')
    const message = `${names} ${foreign.length === 1 ? 'is' : 'are'} not for a ${kind.name} session`
    throw new OpError('usage', message, details)
  }
}

export function wrongKind(
  { session, kind, words }: { session: string; kind: string; words: string },
  wanted: Capability,
): OpError {
  const message = `session ${session} is ${words}, and this is for ${CAPABILITY_WORDS[wanted]}`
  return new OpError('wrong_kind', message, { session, kind, wanted })
}

const COMMON_KEYS: ReadonlySet<string> = new Set([
  'name',
  'cols',
  'rows',
  'cwd',
  'base_env',
  'idle_timeout_ms',
  'quota_bytes',
  'quota_policy',
  'lease_policy',
  'follows',
] satisfies (keyof CommonRequest)[])

function splitRequest(request: object): { common: CommonRequest; others: Record<string, unknown> } {
  const given = Object.entries(request).filter(([, value]) => value !== undefined)
  return {
    common: Object.fromEntries(given.filter(([key]) => COMMON_KEYS.has(key))),
    others: Object.fromEntries(given.filter(([key]) => !COMMON_KEYS.has(key))),
  }
}
