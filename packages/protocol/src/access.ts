import type { z } from 'zod'

/** What a token of the gateway may do; each includes those before it. */
export const TOKEN_SCOPES = ['read', 'operate', 'admin'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** What a call uses beside the session that it names. */
export type Touch = 'artifacts' | 'network' | 'machine' | 'file'

/** What a token needs for a call that touches this: its scope, and whether one that is for some sessions only will do. */
const TOUCH_RULES: Readonly<Record<Touch, { readonly scope: TokenScope; readonly restricted: boolean }>> = {
  // Files in the session's own folder of the Home.
  artifacts: { scope: 'operate', restricted: true },
  // Only through the session's browser, which its own list of hosts limits.
  network: { scope: 'operate', restricted: true },
  // Starts a program of the caller's choice as the user of the host.
  machine: { scope: 'operate', restricted: false },
  // Reads or writes a file of the caller's choice as the user of the host.
  file: { scope: 'admin', restricted: false },
}

/** Who may call an operation with a token. Every operation says so: there is no default. */
export interface OperationAccess {
  /** The scope that it needs at least. */
  readonly scope: TokenScope
  /**
   * How it serves a token that is for some sessions only. `session`, `conversation`: the parameter `session` or
   * `conversation_id` must name one of them. `listed`: its answer is cut down to them. `connection`: it concerns the
   * caller's connection alone. `home`: it concerns the whole Home, and such a token is refused.
   */
  readonly reach: 'session' | 'conversation' | 'listed' | 'connection' | 'home'
  /** What it touches however it is called; parameters that are marked `touches` add to it where they are set. */
  readonly touches: readonly Touch[]
}

/** Looks at the session that it names. */
export const LOOKS: OperationAccess = { scope: 'read', reach: 'session', touches: [] }
/** Acts on the session that it names. */
export const ACTS: OperationAccess = { scope: 'operate', reach: 'session', touches: [] }

/** What a call needs of the token that it is made with. */
export interface Needed {
  readonly scope: TokenScope
  /** What makes the call one that a token for some sessions must not make; null if nothing does. */
  readonly unrestricted: Touch | 'home' | null
}

/** The one place where the table's metadata becomes a decision. */
export function neededFor(
  { access, params: known }: { readonly access: OperationAccess; readonly params: z.ZodObject },
  params: unknown,
): Needed {
  const touched = [...access.touches, ...touchedBy(known, params)]
  const scopes = [access.scope, ...touched.map((touch) => TOUCH_RULES[touch].scope)]
  const barred = touched.find((touch) => !TOUCH_RULES[touch].restricted)
  return {
    scope: highestScope(scopes),
    unrestricted: barred ?? (access.reach === 'home' ? 'home' : null),
  }
}

export function includesScope(scope: TokenScope, needed: TokenScope): boolean {
  return TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed)
}

export function highestScope(scopes: readonly TokenScope[]): TokenScope {
  return scopes.reduce((highest, scope) => (includesScope(scope, highest) ? scope : highest), 'read')
}

/** What each parameter touches, by its name: asked at every call, and the metadata of a schema is not a short way. */
const TOUCHES = new WeakMap<z.ZodObject, ReadonlyMap<string, Touch>>()

/** The parameters that touch something when they are set. */
export function touchingParams(known: z.ZodObject): ReadonlyMap<string, Touch> {
  let touches = TOUCHES.get(known)
  if (touches === undefined) TOUCHES.set(known, (touches = readTouches(known)))
  return touches
}

function touchedBy(known: z.ZodObject, params: unknown): Touch[] {
  const touches = touchingParams(known)
  if (touches.size === 0) return []
  return Object.entries(params ?? {}).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : (touches.get(name) ?? []),
  )
}

function readTouches({ shape }: z.ZodObject): ReadonlyMap<string, Touch> {
  return new Map(
    Object.entries<z.ZodType>(shape).flatMap(([name, schema]) => {
      const touches = schema.meta()?.['touches'] as Touch | undefined // as the operation table writes it
      return touches === undefined ? [] : [[name, touches]]
    }),
  )
}
