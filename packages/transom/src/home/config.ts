import * as fs from 'node:fs'
import * as path from 'node:path'
import { z } from 'zod'
import {
  COLS_MAX,
  COLS_MIN,
  HOME_QUOTA_BYTES_DEFAULT,
  ROWS_MAX,
  SESSION_QUOTA_BYTES_DEFAULT,
  quotaPolicy,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { errnoOf, fileError, messageOf } from '../lib/system-error.ts'
import { SEGMENT_BYTES_DEFAULT } from '../log/segment-chain.ts'
import { CONFIG_FILE, type Home } from './home.ts'

const IDLE_MS_MIN = 1000 // the client that started a host must find it still there
const IDLE_MS_MAX = 2_147_483_647 // a timer has 31 bits; past them it fires at once

const DEPTH_MAX = 64 // as in requests; no key is deeper than 2

const SEGMENT_BYTES_MIN = 4 << 10 // smaller ones are mostly headers and files
const SEGMENT_BYTES_MAX = 1 << 30 // an index has 512 entries: past this a read begins two megabytes too early

/** What config.json may say. Every key has its use: one that is not known here is refused, not ignored. */
const configFile = z.strictObject({
  /** What a session gets when `create` does not say. */
  session: z
    .strictObject({
      cols: z.int().min(COLS_MIN).max(COLS_MAX).default(80),
      rows: z.int().min(1).max(ROWS_MAX).default(24),
      /** A session ends when nothing has been typed or printed for this long; null for never. */
      idle_timeout_ms: z.int().min(1).max(IDLE_MS_MAX).nullable().default(null),
    })
    .prefault({}),
  host: z
    .strictObject({
      /** The host leaves when it has had neither a session nor a connection for this long. */
      idle_ms: z.int().min(IDLE_MS_MIN).max(IDLE_MS_MAX).default(60_000),
    })
    .prefault({}),
  log: z
    .strictObject({
      /** A record that would make a segment of an Event Log longer begins the next one. */
      segment_bytes: z.int().min(SEGMENT_BYTES_MIN).max(SEGMENT_BYTES_MAX).default(SEGMENT_BYTES_DEFAULT),
    })
    .prefault({}),
  quota: z
    .strictObject({
      /** How large one Event Log may grow, and all of the Home together. */
      session_bytes: z.int().min(1).default(SESSION_QUOTA_BYTES_DEFAULT),
      home_bytes: z.int().min(1).default(HOME_QUOTA_BYTES_DEFAULT),
      policy: quotaPolicy.default('pause'),
    })
    .prefault({}),
})
export type HomeConfig = z.output<typeof configFile>

/** The configuration of a Home; the defaults where it has no config.json. Throws `config_invalid`. */
export function readConfig(home: Home): HomeConfig {
  const file = path.join(home.path, CONFIG_FILE)
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return configFile.parse({})
    throw fileError(error, `read ${file}`, { file })
  }
  const content = parseJson(text, file)
  if (isTooDeep(content))
    throw invalid(file, [{ key: '', value: null, problem: `it is nested more than ${DEPTH_MAX} deep` }])
  const parsed = configFile.safeParse(content)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, content))
  throw invalid(file, problems)
}

interface Problem {
  readonly key: string
  readonly value: unknown
  readonly problem: string
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(file, [{ key: '', value: null, problem: `it is not JSON (${messageOf(error)})` }])
  }
}

function problemsOf(issue: z.core.$ZodIssue, content: unknown): Problem[] {
  const where = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') {
    const value = valueAt(content, where)
    return [{ key: where.join('.'), value, problem: `${issue.message} (got ${shown(value)})` }]
  }
  return issue.keys.map((key) => {
    const value = valueAt(content, [...where, key])
    const problem = `unknown key (got ${shown(value)}); the keys are ${knownKeys().join(', ')}`
    return { key: [...where, key].join('.'), value, problem }
  })
}

function invalid(file: string, problems: readonly Problem[]): OpError {
  const said = problems.map(({ key, problem }) => (key === '' ? problem : `${key}: ${problem}`)).join('; ')
  const message = `${file} cannot be used: ${said}. Correct or remove it, and try again`
  return new OpError('config_invalid', message, { file, problems })
}

function knownKeys(): string[] {
  return Object.entries(configFile.parse({})).flatMap(([group, keys]) =>
    Object.keys(keys).map((key) => `${group}.${key}`),
  )
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? 'nothing'
}

/** JSON.stringify() calls itself for each level, and so does whatever sends the error on. */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

function valueAt(value: unknown, keys: readonly string[]): unknown {
  let at = value
  for (const key of keys) at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
  return at
}
