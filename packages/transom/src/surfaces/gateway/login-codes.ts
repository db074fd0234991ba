import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { z } from 'zod'
import { OpError } from '@transom/protocol/errors'
import { writeFileAtomic } from '../../lib/atomic-file.ts'
import { withFileLockBlocking } from '../../platform/file-lock.ts'
import { errnoOf, fileError } from '../../lib/system-error.ts'

export const LOGINS_FILE = 'gateway-logins.json'
/** Long enough to go from a terminal to a browser. */
export const CODE_MS = 60_000
const CODE_BYTES = 16
const CODES_MAX = 16 // those of the last minute; the oldest gives way

const loginsFile = z.object({
  version: z.literal(1),
  codes: z.array(z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), expires_ms: z.number() })),
})
type Code = z.infer<typeof loginsFile>['codes'][number]

/**
 * Codes with which a browser logs in, each once and within a minute. They are made by a command and taken by the
 * gateway, another process: a file of the Home (mode 0600) with digests is between them.
 */
export class LoginCodes {
  readonly #file: string
  readonly #now: () => number

  constructor(home: string, now: () => number = Date.now) {
    this.#file = path.join(home, LOGINS_FILE)
    this.#now = now
  }

  create(): string {
    const code = randomBytes(CODE_BYTES).toString('base64url')
    const made = { sha256: digestOf(code).toString('hex'), expires_ms: this.#now() + CODE_MS }
    this.#update((codes) => [...codes, made].slice(-CODES_MAX))
    return code
  }

  /** Whether a code is right; it is not a second time. Takes the same time for every wrong one. */
  take(code: string): boolean {
    const digest = digestOf(code)
    if (find(this.#read(), digest) === null) return false // without the lock: a wrong guess must not delay others
    let taken = false
    this.#update((codes) => {
      const found = find(codes, digest)
      taken = found !== null
      return codes.filter((candidate) => candidate !== found)
    })
    return taken
  }

  #update(change: (codes: readonly Code[]) => readonly Code[]): void {
    try {
      withFileLockBlocking(`${this.#file}.lock`, () =>
        writeFileAtomic(this.#file, `${JSON.stringify({ version: 1, codes: change(this.#read()) })}\n`),
      )
    } catch (error) {
      throw fileError(error, `write ${this.#file}`, { file: this.#file })
    }
  }

  /** Those that have not expired. */
  #read(): readonly Code[] {
    try {
      const { codes } = loginsFile.parse(JSON.parse(fs.readFileSync(this.#file, 'utf8')))
      return codes.filter(({ expires_ms }) => expires_ms > this.#now())
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return []
      if (errnoOf(error) !== undefined) throw fileError(error, `read ${this.#file}`, { file: this.#file })
      const message = `${this.#file} is not a file of login codes; remove it`
      throw new OpError('config_invalid', message, { file: this.#file }, { cause: error })
    }
  }
}

function digestOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

function find(codes: readonly Code[], digest: Buffer): Code | null {
  let found: Code | null = null
  for (const code of codes) if (timingSafeEqual(digest, Buffer.from(code.sha256, 'hex'))) found = code
  return found
}
