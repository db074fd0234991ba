import { z } from 'zod'
import { sessionInfo, type SessionInfo } from '@transom/protocol'

/** A session on disk: what is public of it, and what it takes to clean up after its host. */
export const manifest = z.looseObject({
  ...sessionInfo.shape,
  version: z.literal(1),
  /** The mark that every process of the session carries, in decimal. Here before the first of them is. */
  process_mark: z.string().regex(/^\d+$/),
  /** Who runs it: where to reach its host, and in which protocol. */
  host_socket: z.string(),
  host_protocol: z.int(),
  /** The last ordinal of a block in the sessions of its conversation before it: its own go on from there. */
  block_base: z.int().optional(),
})
export type Manifest = z.infer<typeof manifest>

export function publicInfo(content: Manifest): SessionInfo {
  return sessionInfo.parse(content) // drops the keys that are not public
}
