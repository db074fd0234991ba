/**
 * The index of a sealed segment, in a file of its own beside it. It can be made again from the segment: one that is
 * missing, damaged, of another version or of a segment of another size is left aside. Little-endian:
 *
 *   magic (8) | version u32 | entry count u32 | segment bytes f64 | last seq f64 | output bytes f64
 *   per entry: seq f64 | offset f64 | cursor f64 | earliest time f64
 *   crc32 u32 of everything before it
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { crc32 } from '../lib/crc32.ts'
import { errnoOf } from '../lib/system-error.ts'
import { SparseIndex, type IndexEntry } from './sparse-index.ts'

const MAGIC = Buffer.from('TRNSMIDX', 'latin1')
const VERSION = 1
const HEADER_BYTES = MAGIC.length + 8 + 3 * 8
const ENTRY_BYTES = 4 * 8
const CRC_BYTES = 4
/** 16 KiB a segment: a lookup in a full one reads 128 KiB of it. */
const ENTRIES_MAX = 512

export function indexPathOf(segmentPath: string): string {
  return segmentPath.replace(/\.log$/, '.idx')
}

/** Writes the index of a segment, as a whole or not at all; returns the size of the file. */
export async function writeIndexFile(segmentPath: string, index: SparseIndex): Promise<number> {
  index.thin(ENTRIES_MAX)
  const content = encodeIndex(index)
  await replaceFile(indexPathOf(segmentPath), content)
  return content.length
}

/** The index of a segment of this size; null if there is none that can be used. */
export async function readIndexFile(segmentPath: string, sizeBytes: number): Promise<SparseIndex | null> {
  let content: Buffer
  try {
    content = await fs.readFile(indexPathOf(segmentPath))
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(errnoOf(error) ?? '')) return null
    throw error
  }
  const index = decodeIndex(content)
  return index?.offset === sizeBytes ? index : null
}

/** Replaces a file of which a reader sees the old content, the new content or none, never a part. */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await fs.writeFile(temporary, content, { mode: 0o600, flag: 'wx' })
    await fs.rename(temporary, path)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  }
}

function encodeIndex(index: SparseIndex): Buffer {
  const { entries } = index
  const content = Buffer.alloc(HEADER_BYTES + entries.length * ENTRY_BYTES + CRC_BYTES)
  MAGIC.copy(content)
  content.writeUInt32LE(VERSION, MAGIC.length)
  content.writeUInt32LE(entries.length, MAGIC.length + 4)
  let at = MAGIC.length + 8
  const put = (value: number) => (at = content.writeDoubleLE(value, at))
  for (const value of [index.offset, index.lastSeq, index.cursor]) put(value)
  for (const { seq, offset, cursor, minTime } of entries)
    for (const value of [seq, offset, cursor, minTime]) put(value)
  content.writeUInt32LE(crc32(content.subarray(0, at)), at)
  return content
}

function decodeIndex(content: Buffer): SparseIndex | null {
  const end = content.length - CRC_BYTES
  if (end < HEADER_BYTES || !content.subarray(0, MAGIC.length).equals(MAGIC)) return null
  if (content.readUInt32LE(MAGIC.length) !== VERSION) return null
  if (crc32(content.subarray(0, end)) !== content.readUInt32LE(end)) return null
  const count = content.readUInt32LE(MAGIC.length + 4)
  if (end !== HEADER_BYTES + count * ENTRY_BYTES) return null
  let at = MAGIC.length + 8
  const take = () => {
    at += 8
    return content.readDoubleLE(at - 8)
  }
  const [offset, lastSeq, cursor] = [take(), take(), take()]
  const entries = Array.from({ length: count }, (): IndexEntry => ({
    seq: take(),
    offset: take(),
    cursor: take(),
    minTime: take(),
  }))
  return SparseIndex.restore({ lastSeq, offset, cursor, entries })
}
