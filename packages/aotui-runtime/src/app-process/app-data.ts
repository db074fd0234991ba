import { AotuiError, errorText, toWireError } from '../contract/aotui-error.ts'
import type { AppData } from '../contract/app-message.ts'
import { APP_DATA_CHARS_MAX } from '../contract/limits.ts'
import { JSON_DEPTH_MAX } from '../contract/schema.ts'
import { withinTime } from './within-time.ts'

/** Calls the app's `serialize` hook. Whatever goes wrong is data too: the app is never dropped from a state. */
export async function collectAppData(
  serialize: (() => unknown) | undefined,
  before: string | undefined,
  limitMs: number,
): Promise<AppData> {
  if (serialize === undefined) return { kind: 'none' }
  try {
    const json = toJsonText(await inTime(serialize(), limitMs))
    return json === before ? { kind: 'same' } : { kind: 'data', json }
  } catch (error) {
    return { kind: 'failed', error: toWireError(asSerializeError(error)) }
  }
}

/** JSON text of a value that is nothing but JSON: what `JSON.stringify` would drop or change is refused. */
export function toJsonText(value: unknown): string {
  requireJson(value, 'appData', new Set())
  const json = JSON.stringify(value)
  if (json.length > APP_DATA_CHARS_MAX)
    throw new AotuiError('E_INTERNAL', `appData is larger than ${APP_DATA_CHARS_MAX} characters`, {
      reason: 'app_data_too_large',
    })
  return json
}

function requireJson(value: unknown, path: string, around: Set<object>): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value !== 'object') throw notJson(path, typeof value)
  if (around.has(value)) throw notJson(path, 'a cycle')
  if (around.size >= JSON_DEPTH_MAX) throw notJson(path, `nested deeper than ${JSON_DEPTH_MAX} levels`)
  around.add(value)
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) requireJson(entry, `${path}[${index}]`, around)
  } else {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype)
      throw notJson(path, `a ${value.constructor.name}`)
    for (const [key, entry] of Object.entries(value)) requireJson(entry, `${path}.${key}`, around)
  }
  around.delete(value)
}

function notJson(path: string, what: string): AotuiError {
  return new AotuiError('E_INTERNAL', `${path} is ${what}, which JSON cannot hold`, {
    reason: 'app_data_not_json',
    path: path.slice(0, 200),
  })
}

function inTime(value: unknown, limitMs: number): unknown {
  if (typeof value !== 'object' || value === null || !('then' in value)) return value
  return withinTime(
    value as PromiseLike<unknown>,
    limitMs,
    () =>
      new AotuiError('E_TIMEOUT', `serialize() took longer than ${limitMs} ms`, {
        reason: 'serialize_timeout',
      }),
  )
}

function asSerializeError(error: unknown): AotuiError {
  if (error instanceof AotuiError) return error
  return new AotuiError(
    'E_INTERNAL',
    `serialize() threw: ${errorText(error)}`,
    { reason: 'serialize_failed' },
    { cause: error },
  )
}
