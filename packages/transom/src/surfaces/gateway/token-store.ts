import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { z } from 'zod'
import { TOKEN_SCOPES, type TokenPrincipal, type TokenScope } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { writeFileAtomic } from '../../lib/atomic-file.ts'
import { withFileLockBlocking } from '../../platform/file-lock.ts'
import { errnoOf, fileError } from '../../lib/system-error.ts'

export const TOKENS_FILE = 'gateway-tokens.json'
/** The name of the token that the first start makes. */
export const FIRST_TOKEN_NAME = 'default'
const TOKENS_MAX = 1000 // each is compared at each request: a tenth of a millisecond at this number
const TOKEN_BYTES = 32 // as hard to guess as the digest that is kept of it
const TOKEN_PREFIX = 'transom_' // so that scanners for leaked secrets can know one
const ID_BYTES = 4
const VERIFIED_MAX = 8 // who uses a gateway at the same time, mostly with one and the same token

const tokenRecord = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(TOKEN_SCOPES),
  /** Session ids; null for every session, and for what concerns none. */
  sessions: z.array(z.string()).nullable(),
  created_at: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type TokenRecord = z.infer<typeof tokenRecord>
const tokensFile = z.object({ version: z.literal(1), tokens: z.array(tokenRecord) })

/** A principal that a credential proved, and when that was issued: what may be shown of a token. */
export type Grant = TokenPrincipal & Pick<TokenRecord, 'created_at'>

export interface NewToken {
  readonly grant: Grant
  /** The only time that it is seen: the file has a digest. */
  readonly token: string
}

/**
 * The tokens of a Home's gateway. The file (mode 0600) holds only digests: a reader of it, or of a copy of the Home,
 * has no token. A change made by another process counts from the next request on.
 */
export class TokenStore {
  readonly file: string
  /** Tokens that were right a moment ago: to digest one at every request would cost as much as the rest of it. */
  #verified: readonly { readonly bytes: Buffer; readonly record: TokenRecord }[] = []
  #looked = false
  #read: { readonly version: string; readonly records: readonly TokenRecord[] } | null = null

  constructor(home: string) {
    this.file = path.join(home, TOKENS_FILE)
  }

  list(): Grant[] {
    return this.#records().map(grantOf)
  }

  /** What a token allows; null for one that is not known. Takes the same time for every wrong one. */
  verify(token: string): Grant | null {
    const bytes = Buffer.from(token)
    const records = this.#records()
    const known = this.#verified.find(
      (candidate) => candidate.bytes.length === bytes.length && timingSafeEqual(candidate.bytes, bytes),
    )
    if (known !== undefined && records.includes(known.record)) return grantOf(known.record)
    const record = findByDigest(records, token)
    if (record === null) return null
    this.#verified = [{ bytes, record }, ...this.#verified].slice(0, VERIFIED_MAX)
    return grantOf(record)
  }

  /** Whether a grant is still valid and unchanged. */
  isValid({ id, created_at }: Grant): boolean {
    return this.#records().some((record) => record.id === id && record.created_at === created_at)
  }

  create(request: { name?: string; scope: TokenScope; sessions: readonly string[] | null }): NewToken {
    return this.#update((records) => {
      const id = randomBytes(ID_BYTES).toString('hex')
      const name = request.name ?? id
      if (records.some((record) => record.name === name)) {
        const message = `a token is named ${JSON.stringify(name)} already; choose another name, or "transom token rotate ${name}"`
        throw new OpError('name_taken', message, { name })
      }
      if (records.length >= TOKENS_MAX)
        throw new OpError('usage', `a gateway has at most ${TOKENS_MAX} tokens; revoke some`)
      const { scope } = request
      const made = newRecord({ id, name, scope, sessions: request.sessions?.slice() ?? null })
      return {
        records: [...records, made.record],
        result: { grant: grantOf(made.record), token: made.token },
      }
    })
  }

  /** The token of the first start; null if there are tokens already. */
  createFirst(): NewToken | null {
    if (this.#records().length > 0) return null
    return this.create({ name: FIRST_TOKEN_NAME, scope: 'admin', sessions: null })
  }

  revoke(ref: string): Grant {
    return this.#update((records) => {
      const found = findRecord(records, ref)
      return { records: records.filter((record) => record !== found), result: grantOf(found) }
    })
  }

  /** Puts a new token in the place of an old one, which is worth nothing from then on. */
  rotate(ref: string): NewToken {
    return this.#update((records) => {
      const found = findRecord(records, ref)
      const made = newRecord(found, found.created_at)
      return {
        records: records.map((record) => (record === found ? made.record : record)),
        result: { grant: grantOf(made.record), token: made.token },
      }
    })
  }

  #update<T>(change: (records: readonly TokenRecord[]) => { records: readonly TokenRecord[]; result: T }): T {
    try {
      return withFileLockBlocking(`${this.file}.lock`, () => {
        this.#looked = false
        const { records, result } = change(this.#records())
        writeFileAtomic(this.file, `${JSON.stringify({ version: 1, tokens: records }, null, 2)}\n`)
        this.#looked = false
        return result
      })
    } catch (error) {
      throw fileError(error, `write ${this.file}`, { file: this.file })
    }
  }

  #records(): readonly TokenRecord[] {
    // Once in a turn of the event loop: a change made elsewhere still counts from the next request on.
    if (this.#looked && this.#read !== null) return this.#read.records
    this.#looked = true
    setImmediate(() => (this.#looked = false))
    const version = fileVersion(this.file)
    if (this.#read?.version !== version) this.#read = { version, records: readRecords(this.file) }
    return this.#read.records
  }
}

/** Later than the token that it replaces: by this, a stream opened with the old one notices that it was replaced. */
function newRecord({ id, name, scope, sessions }: Omit<TokenPrincipal, 'kind'>, after = '') {
  const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`
  const sha256 = createHash('sha256').update(token).digest('hex')
  const createdMs = Math.max(Date.now(), (Date.parse(after) || 0) + 1)
  const created_at = new Date(createdMs).toISOString()
  return { token, record: { id, name, scope, sessions, created_at, sha256 } }
}

function grantOf({ sha256: _secret, ...shown }: TokenRecord): Grant {
  return { kind: 'token', ...shown }
}

function findByDigest(records: readonly TokenRecord[], token: string): TokenRecord | null {
  const digest = createHash('sha256').update(token).digest()
  let found: TokenRecord | null = null
  for (const record of records) {
    if (timingSafeEqual(digest, Buffer.from(record.sha256, 'hex'))) found = record
  }
  return found
}

function findRecord(records: readonly TokenRecord[], ref: string): TokenRecord {
  const found = records.find(({ id, name }) => id === ref || name === ref)
  if (found !== undefined) return found
  const message = `no token ${JSON.stringify(ref)}; "transom token list" shows those there are`
  throw new OpError('token_not_found', message, { token: ref })
}

/** Changes when the file is replaced: each writer makes a new file. */
function fileVersion(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeNs}:${stat.size}`
}

function readRecords(file: string): readonly TokenRecord[] {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw fileError(error, `read ${file}`, { file })
  }
  try {
    return tokensFile.parse(JSON.parse(text)).tokens
  } catch (error) {
    const message = `${file} is not a file of tokens; remove it and start the gateway again to make a new one`
    throw new OpError('config_invalid', message, { file }, { cause: error })
  }
}
