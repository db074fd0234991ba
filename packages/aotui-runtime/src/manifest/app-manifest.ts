import { readFileSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { AotuiError, errorText } from '../contract/aotui-error.ts'
import { parsePermission } from './permission.ts'

/** `aoapp.json` (spec section 3.5), plus the fields that the spec leaves open. */
export interface AppManifest {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly entry: string
  readonly system: boolean
  readonly permissions: readonly string[]
  readonly dom: 'happy-dom' | 'jsdom'
  readonly tier: 'standard' | 'strict'
  readonly views: readonly ManifestView[]
  /** One line on what the app is, and one on when to use it: the agent reads both. */
  readonly description?: string
  readonly when_to_use?: string
  readonly author?: string
  /** What is odd about the manifest, for its author. */
  readonly warnings: readonly string[]
}

export interface ManifestView {
  readonly name: string
  /** A module that exports `mount(root)`, or an HTML file whose body becomes the view. */
  readonly entry: string
  readonly mount: 'auto' | 'manual'
}

const MANIFEST_BYTES_MAX = 256 << 10 // a manifest is a page of text; more is a mistake

export function readManifest(dir: string): AppManifest {
  const path = join(dir, 'aoapp.json')
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new AotuiError(
      'E_NOT_FOUND',
      `no app in ${dir}: ${errorText(error)}`,
      { reason: 'no_manifest', dir },
      { cause: error },
    )
  }
  if (text.length > MANIFEST_BYTES_MAX) throw invalid(path, '', `is larger than ${MANIFEST_BYTES_MAX} bytes`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw invalid(path, '', `is not JSON: ${errorText(error)}`)
  }
  const manifest = parseManifest(json, path)
  requireInside(dir, manifest.entry, path, 'entry')
  for (const [index, view] of manifest.views.entries()) {
    requireInside(dir, view.entry, path, `views[${index}].entry`)
  }
  return manifest
}

export function parseManifest(json: unknown, path = 'aoapp.json'): AppManifest {
  if (!isRecord(json)) throw invalid(path, '', 'must be an object')
  const id = text(json, 'id', path)
  if (!APP_ID.test(id)) {
    throw invalid(path, 'id', `must be in reverse domain notation such as com.example.lark, not "${id}"`)
  }
  return {
    id,
    name: text(json, 'name', path),
    version: json['version'] === undefined ? '0.0.0' : text(json, 'version', path),
    entry: text(json, 'entry', path),
    system: flag(json, 'system', path),
    permissions: permissions(json['permissions'], path),
    dom: choice(json, 'dom', ['happy-dom', 'jsdom'], path),
    tier: choice(json, 'tier', ['standard', 'strict'], path),
    views: views(json['views'], path),
    ...optionalText(json, 'description', path),
    ...optionalText(json, 'when_to_use', path),
    ...optionalText(json, 'author', path),
    warnings: unknownFields(json),
  }
}

/** Reverse domain notation. It is also the name of a folder. */
export const APP_ID = /^(?=.{1,200}$)[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9_-]*)+$/i

/** Every field of a manifest. */
export const KNOWN_FIELDS = [
  'id',
  'name',
  'version',
  'entry',
  'system',
  'permissions',
  'dom',
  'tier',
  'views',
  'description',
  'when_to_use',
  'author',
  '$schema',
]

/** A later runtime may know them, so they are no mistake; a misspelt one has to be noticed all the same. */
function unknownFields(json: Record<string, unknown>): string[] {
  return Object.keys(json)
    .filter((key) => !KNOWN_FIELDS.includes(key))
    .map(
      (key) => `aoapp.json: "${key.slice(0, 60)}" is not a known field; known are ${KNOWN_FIELDS.join(', ')}`,
    )
}

const ABOUT_CHARS_MAX = 500 // a line that every snapshot shows

function optionalText<K extends string>(
  from: Record<string, unknown>,
  field: K,
  path: string,
): { [P in K]?: string } {
  if (from[field] === undefined) return {}
  const value = text(from, field, path)
  if (value.length > ABOUT_CHARS_MAX)
    throw invalid(path, field, `must be at most ${ABOUT_CHARS_MAX} characters`)
  return { [field]: value } as { [P in K]?: string }
}

function permissions(value: unknown, path: string): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid(path, 'permissions', 'must be an array of strings')
  return value.map((entry: unknown, index) => {
    if (typeof entry !== 'string') throw invalid(path, `permissions[${index}]`, 'must be a string')
    const parsed = parsePermission(entry)
    if ('problem' in parsed) throw invalid(path, `permissions[${index}]`, parsed.problem)
    return entry
  })
}

function views(value: unknown, path: string): ManifestView[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalid(path, 'views', 'must be an array')
  const names = new Set<string>()
  return value.map((entry: unknown, index) => {
    const field = `views[${index}]`
    if (!isRecord(entry)) throw invalid(path, field, 'must be an object')
    const name = text(entry, 'name', path, `${field}.`)
    if (names.has(name)) throw invalid(path, `${field}.name`, `"${name}" is used twice`)
    names.add(name)
    return {
      name,
      entry: text(entry, 'entry', path, `${field}.`),
      mount: choice(entry, 'mount', ['auto', 'manual'], path, `${field}.`),
    }
  })
}

function text(from: Record<string, unknown>, field: string, path: string, prefix = ''): string {
  const value = from[field]
  if (value === undefined) throw invalid(path, prefix + field, 'is missing')
  if (typeof value !== 'string' || value.trim() === '' || value.length > 1000) {
    throw invalid(path, prefix + field, 'must be a non-empty string of at most 1,000 characters')
  }
  return value
}

function flag(from: Record<string, unknown>, field: string, path: string): boolean {
  const value = from[field] ?? false
  if (typeof value !== 'boolean') throw invalid(path, field, 'must be true or false')
  return value
}

function choice<T extends string>(
  from: Record<string, unknown>,
  field: string,
  values: readonly [T, ...T[]],
  path: string,
  prefix = '',
): T {
  const value = from[field] ?? values[0]
  const found = values.find((one) => one === value)
  if (found === undefined) throw invalid(path, prefix + field, `must be one of ${values.join(', ')}`)
  return found
}

/** An entry outside the app's folder would be loaded with rights that the folder's owner never gave. */
function requireInside(dir: string, entry: string, path: string, field: string): void {
  const root = realpathSync(dir)
  const full = resolve(root, entry)
  let real: string
  try {
    real = realpathSync(full)
  } catch (error) {
    throw invalid(path, field, `names a file that cannot be read: ${errorText(error)}`)
  }
  if (!real.startsWith(root + sep)) throw invalid(path, field, `"${entry}" lies outside the app's folder`)
}

function invalid(path: string, field: string, problem: string): AotuiError {
  const name = field === '' ? '' : ` ${field}`
  return new AotuiError('E_INVALID_CMD', `${path}:${name} ${problem}`, {
    reason: 'invalid_manifest',
    field,
    path,
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
