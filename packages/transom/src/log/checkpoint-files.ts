/**
 * The states of projections, each in a file beside the log, named after the projection and the seq. They can be made
 * again from the log: one that is damaged, of another version or of another log is left aside. Little-endian:
 *
 *   magic (8) | version u32 | crc32 of the record u32 | seq f64 | first seq of the segment f64 | offset f64
 *   the state, compressed by Brotli | crc32 u32 of everything before it
 *
 * A checkpoint belongs to its record: it counts only while the log has the same record in the same place. A log that
 * lost its end in a power cut has another one there, or none.
 */
import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { crc32 } from '../lib/crc32.ts'
import { errnoOf } from '../lib/system-error.ts'
import { openSegmentData, type SegmentData } from './compressed-segment.ts'
import { replaceFile } from './index-file.ts'
import type { RecordPlace } from './log-batches.ts'
import { RECORD_HEADER_BYTES, recordHead } from './record.ts'
import { firstSegmentPath, laterSegmentPath } from './segment-chain.ts'

const MAGIC = Buffer.from('TRNSMCKP', 'latin1')
const VERSION = 2
const HEADER_BYTES = MAGIC.length + 8 + 3 * 8
const CRC_BYTES = 4
const FILE_NAME = /^events\.checkpoint-([a-z][a-z0-9_]{0,31})-(\d{16})$/
/** For each projection: of two gigabytes of log. Past it every second one goes. */
const COUNT_MAX = 1024
/** Far more than a screen takes; a larger one costs more than reading the log again. */
const STATE_BYTES_MAX = 16 << 20
/** A screen with its scrollback becomes a tenth of its size, in less than a millisecond. */
const QUALITY = 4

const compress = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const expand = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)

export interface Checkpoint {
  readonly seq: number
  /** Where the record with this seq is. */
  readonly place: RecordPlace
  readonly state: Uint8Array
}

export class CheckpointFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Writes one, as a whole or not at all; returns how much more is stored. 0 for a state that is too large to be worth it. */
  async write(name: string, checkpoint: RecordPlace & { seq: number; state: Uint8Array }): Promise<number> {
    const { seq, state, file, offset } = checkpoint
    if (state.length > STATE_BYTES_MAX) return 0
    const recordCrc = await crcOfRecord(file.path, offset, seq)
    if (recordCrc === null) return 0
    const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: QUALITY }
    const compressed = await compress(state, { params })
    const content = Buffer.alloc(HEADER_BYTES + compressed.length + CRC_BYTES)
    MAGIC.copy(content)
    content.writeUInt32LE(VERSION, MAGIC.length)
    content.writeUInt32LE(recordCrc, MAGIC.length + 4)
    let at = MAGIC.length + 8
    for (const value of [seq, file.firstSeq, offset]) at = content.writeDoubleLE(value, at)
    content.set(compressed, at)
    content.writeUInt32LE(crc32(content.subarray(0, -CRC_BYTES)), content.length - CRC_BYTES)
    const replacedBytes = await this.#sizeOf(name, seq)
    await replaceFile(path.join(this.#folder, fileName(name, seq)), content)
    return content.length - replacedBytes - (await this.#thin(name))
  }

  /** The latest usable one at or before a seq. */
  async read(name: string, atOrBeforeSeq: number): Promise<Checkpoint | null> {
    for (const seq of (await this.seqs(name)).toReversed()) {
      if (seq > atOrBeforeSeq) continue
      const found = await this.#readOne(name, seq)
      if (found !== null) return found
    }
    return null
  }

  async remove(name: string, seq: number): Promise<void> {
    await fs.rm(path.join(this.#folder, fileName(name, seq)), { force: true })
  }

  async removeAll(): Promise<void> {
    for (const file of (await this.#names()).filter((it) => FILE_NAME.test(it)))
      await fs.rm(path.join(this.#folder, file), { force: true })
  }

  async #readOne(name: string, seq: number): Promise<Checkpoint | null> {
    let content: Buffer
    try {
      content = await fs.readFile(path.join(this.#folder, fileName(name, seq)))
    } catch (error) {
      if (['ENOENT', 'EACCES'].includes(errnoOf(error) ?? '')) return null
      throw error
    }
    const end = content.length - CRC_BYTES
    if (end < HEADER_BYTES || !content.subarray(0, MAGIC.length).equals(MAGIC)) return null
    if (content.readUInt32LE(MAGIC.length) !== VERSION) return null
    if (crc32(content.subarray(0, end)) !== content.readUInt32LE(end)) return null
    const [at, firstSeq, offset] = [0, 8, 16].map((index) => content.readDoubleLE(MAGIC.length + 8 + index))
    if (at !== seq || firstSeq === undefined || offset === undefined) return null
    const segment = firstSeq === 1 ? firstSegmentPath(this.#folder) : laterSegmentPath(this.#folder, firstSeq)
    const recordCrc = await crcOfRecord(segment, offset, seq)
    if (recordCrc !== content.readUInt32LE(MAGIC.length + 4)) return null
    const place = { file: { path: segment, firstSeq }, offset }
    const state = await expand(content.subarray(HEADER_BYTES, end), { maxOutputLength: STATE_BYTES_MAX })
    return { seq, place, state }
  }

  /** Drops every second one if there are too many; returns by how much less is stored. */
  async #thin(name: string): Promise<number> {
    const seqs = await this.seqs(name)
    if (seqs.length <= COUNT_MAX) return 0
    let removedBytes = 0
    for (const seq of seqs.slice(0, -1).filter((_, index) => index % 2 === 0)) {
      removedBytes += await this.#sizeOf(name, seq)
      await this.remove(name, seq)
    }
    return removedBytes
  }

  /** 0 if there is none. */
  async #sizeOf(name: string, seq: number): Promise<number> {
    try {
      return (await fs.stat(path.join(this.#folder, fileName(name, seq)))).size
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return 0
      throw error
    }
  }

  /** Where there are some, usable or not, in order. */
  async seqs(name: string): Promise<number[]> {
    const found = (await this.#names()).flatMap((file) => {
      const match = FILE_NAME.exec(file)
      return match?.[1] === name ? [Number(match[2])] : []
    })
    return found.toSorted((a, b) => a - b)
  }

  async #names(): Promise<string[]> {
    try {
      return await fs.readdir(this.#folder)
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return []
      throw error
    }
  }
}

function fileName(name: string, seq: number): string {
  return `events.checkpoint-${name}-${String(seq).padStart(16, '0')}`
}

/** The checksum of the record at a place; null if there is no record with this seq. */
async function crcOfRecord(segment: string, offset: number, seq: number): Promise<number | null> {
  let file: SegmentData
  try {
    file = await openSegmentData(segment)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
  try {
    const header = Buffer.alloc(RECORD_HEADER_BYTES)
    const { bytesRead } = await file.read(header, 0, RECORD_HEADER_BYTES, offset)
    if (bytesRead < RECORD_HEADER_BYTES || recordHead(header, 0).seq !== seq) return null
    return header.readUInt32LE(0)
  } finally {
    await file.close()
  }
}
