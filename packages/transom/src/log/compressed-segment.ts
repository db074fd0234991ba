/**
 * A sealed segment, compressed. It replaces the plain one under the same name and reads as the same bytes: all offsets
 * are those of the plain file. Little-endian:
 *
 *   file header with COMPRESSED_FORMAT_VERSION | table | blocks | table | table bytes u32
 *   table: plain bytes f64 | block count u32 | for each block its compressed bytes u32 | crc32 u32 of the table
 *
 * A block is 128 KiB of the plain file, compressed by Brotli, which every supported Node has; to read any place means
 * to expand one block. The table is there twice, because without it nothing can be read. The records have checksums of
 * their own. A block that cannot be expanded reads as 0xff, which no record begins with: what lies around it is found
 * as in a damaged plain segment.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { OpError } from '@transom/protocol/errors'
import { crc32 } from '../lib/crc32.ts'
import { errnoOf } from '../lib/system-error.ts'
import { COMPRESSED_FORMAT_VERSION, FILE_HEADER_BYTES, decodeFileHeader, encodeFileHeader } from './record.ts'

const BLOCK_BYTES = 128 << 10
/** Compressed at a time, in the background: while the event loop is busy, each step waits for its turn. */
const BATCH_BYTES = 8 * BLOCK_BYTES
/** More than any segment has; a larger count is damage. */
const BLOCKS_MAX = 1 << 16
const TABLE_BYTES_MIN = 8 + 4 + 4
const LENGTH_BYTES = 4
/** A shorter segment is not compressed: that would save little. */
export const COMPRESSED_BYTES_MIN = 1 << 20
/** Past this a segment is not compressed: reading it would cost more than it saves. */
const WORTHWHILE_RATIO = 0.9
const UNREADABLE = 0xff
/** The smallest of what is compressed as fast as a program can print: see ADR 039. */
const QUALITY = 4

const compress = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const expand = promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)

/** The bytes of a segment as they were written, whether or not it is compressed by now. */
export interface SegmentData {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
  stat(): Promise<{ size: number }>
  close(): Promise<void>
}

/** A segment that is open for reading. */
export async function openSegmentData(path: string): Promise<SegmentData> {
  const file = await fs.promises.open(path, 'r')
  try {
    if (!isCompressed(file.fd)) return file
    const segment = new CompressedSegment(file.fd, path)
    return {
      read: async (...request) => ({ bytesRead: await segment.read(...request) }),
      stat: async () => ({ size: segment.plainBytes }),
      close: async () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** As SegmentData, for a reader that does not wait. */
export interface SegmentDataSync {
  read(buffer: Buffer, offset: number, length: number, position: number): number
  close(): void
}

export function openSegmentDataSync(path: string): SegmentDataSync {
  const fd = fs.openSync(path, 'r')
  try {
    const segment = isCompressed(fd) ? new CompressedSegment(fd, path) : null
    return {
      read: (buffer, offset, length, position) =>
        segment === null
          ? fs.readSync(fd, buffer, offset, length, position)
          : segment.readSync(buffer, offset, length, position),
      close: () => fs.closeSync(fd),
    }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/** The size of a segment as it was written; 0 when it is missing. */
export async function plainSizeOf(path: string): Promise<number> {
  try {
    const data = await openSegmentData(path)
    try {
      return (await data.stat()).size
    } finally {
      await data.close()
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0 // reading it reports the error
    throw error
  }
}

export function isCompressed(fd: number): boolean {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  fs.readSync(fd, header, 0, FILE_HEADER_BYTES, 0)
  return decodeFileHeader(header) === COMPRESSED_FORMAT_VERSION
}

/**
 * Compresses a segment that nothing is appended to any more; returns by how much it has become smaller. Every block is
 * expanded again and compared before the plain file is replaced, as a whole or not at all.
 */
export async function compressSegment(path: string, signal: AbortSignal): Promise<number> {
  const plain = await fs.promises.open(path, 'r')
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    if (isCompressed(plain.fd)) return 0
    const { size } = await plain.stat()
    const compressedBytes = await writeCompressed(plain, temporary, { size, signal })
    if (compressedBytes > size * WORTHWHILE_RATIO) return 0
    await fs.promises.rename(temporary, path)
    return size - compressedBytes
  } finally {
    await plain.close()
    await fs.promises.rm(temporary, { force: true })
  }
}

async function writeCompressed(
  plain: fs.promises.FileHandle,
  path: string,
  { size, signal }: { size: number; signal: AbortSignal },
): Promise<number> {
  const file = await fs.promises.open(path, 'wx', 0o600)
  try {
    const count = Math.ceil(size / BLOCK_BYTES)
    const lengths: number[] = []
    let at = FILE_HEADER_BYTES + tableBytes(count)
    for (let from = 0; from < size; from += BATCH_BYTES) {
      signal.throwIfAborted()
      const batch = Buffer.allocUnsafe(Math.min(BATCH_BYTES, size - from))
      const { bytesRead } = await plain.read(batch, 0, batch.length, from)
      if (bytesRead < batch.length) throw new Error('a sealed segment has become shorter')
      const blocks = Array.from({ length: Math.ceil(batch.length / BLOCK_BYTES) }, (_, index) =>
        compressBlock(batch.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES)),
      )
      const compressed = await Promise.all(blocks)
      lengths.push(...compressed.map(({ length }) => length))
      const bytes = Buffer.concat(compressed)
      await file.write(bytes, 0, bytes.length, at)
      at += bytes.length
    }
    const table = encodeTable(size, lengths)
    const end = Buffer.concat([table, Buffer.alloc(LENGTH_BYTES)])
    end.writeUInt32LE(table.length, table.length)
    await file.write(end, 0, end.length, at)
    const start = Buffer.concat([encodeFileHeader(COMPRESSED_FORMAT_VERSION), table])
    await file.write(start, 0, start.length, 0)
    await file.datasync()
    return at + end.length
  } finally {
    await file.close()
  }
}

async function compressBlock(block: Buffer): Promise<Buffer> {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants
  const params = { [BROTLI_PARAM_QUALITY]: QUALITY, [BROTLI_PARAM_SIZE_HINT]: block.length }
  const compressed = await compress(block, { params })
  if (!(await expand(compressed, expandOptions(block.length))).equals(block))
    throw new Error('a compressed block does not expand to what it was made of')
  return compressed
}

class CompressedSegment {
  readonly plainBytes: number
  readonly #fd: number
  /** Where each block begins, and where the last one ends. */
  readonly #starts: readonly number[]
  #block: { readonly index: number; readonly bytes: Buffer } | null = null

  constructor(fd: number, path: string) {
    const table = readTable(fd)
    if (table === null)
      throw new OpError('log_corrupt', `${path} is damaged: the table of its blocks cannot be read`, { path })
    this.#fd = fd
    this.plainBytes = table.plainBytes
    let at = FILE_HEADER_BYTES + tableBytes(table.lengths.length)
    this.#starts = [at, ...table.lengths.map((length) => (at += length))]
  }

  async read(buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
    const into = buffer.subarray(offset, offset + length)
    // Asked for whenever a segment is opened: no block is expanded for it.
    if (position + length <= FILE_HEADER_BYTES) return encodeFileHeader().copy(into, 0, position)
    let filled = 0
    while (filled < into.length && position + filled < this.plainBytes) {
      const index = Math.floor((position + filled) / BLOCK_BYTES)
      if (this.#block?.index !== index) this.#keep(index, await this.#expand(index))
      filled += this.#copyBlock(into.subarray(filled), position + filled)
    }
    return filled
  }

  readSync(buffer: Buffer, offset: number, length: number, position: number): number {
    const into = buffer.subarray(offset, offset + length)
    let filled = 0
    while (filled < into.length && position + filled < this.plainBytes) {
      const index = Math.floor((position + filled) / BLOCK_BYTES)
      if (this.#block?.index !== index) this.#keep(index, this.#expandSync(index))
      filled += this.#copyBlock(into.subarray(filled), position + filled)
    }
    return filled
  }

  #copyBlock(into: Buffer, position: number): number {
    return this.#block?.bytes.copy(into, 0, position % BLOCK_BYTES) ?? 0
  }

  #readCompressed(index: number): Buffer {
    const [start = 0, end = 0] = this.#starts.slice(index, index + 2)
    const compressed = Buffer.alloc(end - start) // what a file that was cut does not have stays zero
    fs.readSync(this.#fd, compressed, 0, compressed.length, start)
    return compressed
  }

  async #expand(index: number): Promise<Buffer | null> {
    try {
      return await expand(this.#readCompressed(index), expandOptions(this.#sizeOf(index)))
    } catch {
      return null // damaged: #keep() says so in its place
    }
  }

  #expandSync(index: number): Buffer | null {
    try {
      return zlib.brotliDecompressSync(this.#readCompressed(index), expandOptions(this.#sizeOf(index)))
    } catch {
      return null // damaged: #keep() says so in its place
    }
  }

  #keep(index: number, bytes: Buffer | null): void {
    const size = this.#sizeOf(index)
    this.#block = { index, bytes: bytes?.length === size ? bytes : unreadableBlock(index, size) }
  }

  #sizeOf(index: number): number {
    return Math.min(BLOCK_BYTES, this.plainBytes - index * BLOCK_BYTES)
  }
}

/** The file header is known: only the records are lost. */
function unreadableBlock(index: number, size: number): Buffer {
  const bytes = Buffer.alloc(size, UNREADABLE)
  if (index === 0) encodeFileHeader().copy(bytes)
  return bytes
}

/** `size` is what it must expand to: damage cannot ask for more memory. */
function expandOptions(size: number): zlib.BrotliOptions {
  return { chunkSize: Math.max(64, size), maxOutputLength: size }
}

function tableBytes(blockCount: number): number {
  return TABLE_BYTES_MIN + blockCount * LENGTH_BYTES
}

function encodeTable(plainBytes: number, lengths: readonly number[]): Buffer {
  const table = Buffer.alloc(tableBytes(lengths.length))
  let at = table.writeDoubleLE(plainBytes, 0)
  for (const value of [lengths.length, ...lengths]) at = table.writeUInt32LE(value, at)
  table.writeUInt32LE(crc32(table.subarray(0, at)), at)
  return table
}

interface Table {
  readonly plainBytes: number
  readonly lengths: readonly number[]
}

/** The table after the file header, or the one at the end. */
function readTable(fd: number): Table | null {
  const count = readAt(fd, FILE_HEADER_BYTES + 8, 4)?.readUInt32LE(0) ?? 0
  const first = count <= BLOCKS_MAX ? decodeTable(readAt(fd, FILE_HEADER_BYTES, tableBytes(count))) : null
  if (first !== null) return first
  const { size } = fs.fstatSync(fd)
  const length = readAt(fd, size - LENGTH_BYTES, LENGTH_BYTES)?.readUInt32LE(0) ?? 0
  return length <= tableBytes(BLOCKS_MAX)
    ? decodeTable(readAt(fd, size - LENGTH_BYTES - length, length))
    : null
}

function decodeTable(bytes: Buffer | null): Table | null {
  if (bytes === null || bytes.length < TABLE_BYTES_MIN) return null
  const end = bytes.length - 4
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return null
  const count = bytes.readUInt32LE(8)
  if (bytes.length !== tableBytes(count)) return null
  const lengths = Array.from({ length: count }, (_, index) => bytes.readUInt32LE(12 + index * LENGTH_BYTES))
  return { plainBytes: bytes.readDoubleLE(0), lengths }
}

function readAt(fd: number, position: number, length: number): Buffer | null {
  if (position < 0) return null
  const bytes = Buffer.alloc(length)
  return fs.readSync(fd, bytes, 0, length, position) === length ? bytes : null
}
