import { z } from 'zod'
import { COLS_MAX, ROWS_MAX, plainName, sessionInfo, type SessionInfo } from '@transom/protocol'

/** A request of 8 MiB may hold the command and the folder, which JSON can make six times as long. */
export const MANIFEST_BYTES_MAX = 64 << 20
const MARK_BITS = 64n

/**
 * A session on disk: what is public of it, and what it takes to clean up after its host. It is stricter than the public
 * form: a manifest may come from another machine, or have been written to mislead its reader.
 */
export const manifest = z.looseObject({
  ...sessionInfo.shape,
  name: plainName.nullable(),
  cols: z.int().min(1).max(COLS_MAX),
  rows: z.int().min(1).max(ROWS_MAX),
  pid: z.int().positive().nullable(),
  created_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  version: z.literal(1),
  /** The mark that every process of the session carries, in decimal. Here before the first of them is. */
  process_mark: z
    .string()
    .regex(/^\d{1,20}$/)
    .refine((mark) => BigInt(mark) >> MARK_BITS === 0n),
  /** Who runs it: where to reach its host, and in which protocol. */
  host_socket: z.string(),
  host_protocol: z.int(),
  /** The last ordinal of a block in the sessions of its conversation before it: its own go on from there. */
  block_base: z.int().min(0).optional(),
})
export type Manifest = z.infer<typeof manifest>

export function publicInfo(content: Manifest): SessionInfo {
  return sessionInfo.parse(content) // drops the keys that are not public
}
