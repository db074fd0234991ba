/**
 * A zip file, written entry by entry in memory of a fixed size (APPNOTE.TXT 6.3: local header, data, data descriptor;
 * the directory at the end). No ZIP64: offsets and sizes have 32 bits.
 */
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createDeflateRaw } from 'node:zlib'
import { OpError } from '@transom/protocol/errors'
import { crc32 } from './crc32.ts'

const LOCAL_HEADER = 0x04034b50
const DATA_DESCRIPTOR = 0x08074b50
const DIRECTORY_ENTRY = 0x02014b50
const DIRECTORY_END = 0x06054b50
const VERSION_NEEDED = 20
const MADE_BY_UNIX = (3 << 8) | VERSION_NEEDED
const FLAGS = 0x0808 // sizes follow the data; names are UTF-8
const DEFLATE = 8
const BYTES_MAX = 0xffff_ffff
const ENTRIES_MAX = 0xffff
const MODE = 0o100644

interface Entry {
  readonly name: Buffer
  readonly offset: number
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
}

export class ZipWriter {
  readonly #file: FileHandle
  readonly #stamp: number
  readonly #entries: Entry[] = []
  #at = 0

  /** `time` is the date that every entry gets. */
  constructor(file: FileHandle, time: Date) {
    this.#file = file
    this.#stamp = dosTime(time)
  }

  /** `name` is a relative path with slashes. */
  async add(name: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    const entry = { name: Buffer.from(name), offset: this.#at }
    await this.#write(this.#header(LOCAL_HEADER, { ...entry, crc: 0, packedBytes: 0, bytes: 0 }), entry.name)
    let [crc, bytes] = [0, 0]
    const counted = async function* () {
      for await (const piece of content) {
        crc = crc32(piece, crc)
        bytes += piece.length
        yield piece
      }
    }
    const start = this.#at
    const packed = Readable.from(counted()).compose(createDeflateRaw()) as AsyncIterable<Buffer>
    for await (const piece of packed) await this.#write(piece)
    const packedBytes = this.#at - start
    const descriptor = Buffer.alloc(16)
    for (const [index, value] of [DATA_DESCRIPTOR, crc, packedBytes, bytes].entries())
      descriptor.writeUInt32LE(value, index * 4)
    await this.#write(descriptor)
    this.#entries.push({ ...entry, crc, packedBytes, bytes })
    if (this.#entries.length >= ENTRIES_MAX) throw tooLarge()
  }

  async end(): Promise<void> {
    const start = this.#at
    for (const entry of this.#entries) await this.#write(this.#header(DIRECTORY_ENTRY, entry), entry.name)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(DIRECTORY_END, 0)
    end.writeUInt16LE(this.#entries.length, 8)
    end.writeUInt16LE(this.#entries.length, 10)
    end.writeUInt32LE(this.#at - start, 12)
    end.writeUInt32LE(start, 16)
    await this.#write(end)
  }

  /** Both kinds of header have the same fields in their middle. */
  #header(kind: typeof LOCAL_HEADER | typeof DIRECTORY_ENTRY, entry: Entry): Buffer {
    const inDirectory = kind === DIRECTORY_ENTRY
    const header = Buffer.alloc(inDirectory ? 46 : 30)
    header.writeUInt32LE(kind, 0)
    if (inDirectory) header.writeUInt16LE(MADE_BY_UNIX, 4)
    const at = inDirectory ? 6 : 4
    header.writeUInt16LE(VERSION_NEEDED, at)
    header.writeUInt16LE(FLAGS, at + 2)
    header.writeUInt16LE(DEFLATE, at + 4)
    header.writeUInt32LE(this.#stamp, at + 6)
    header.writeUInt32LE(entry.crc, at + 10)
    header.writeUInt32LE(entry.packedBytes, at + 14)
    header.writeUInt32LE(entry.bytes, at + 18)
    header.writeUInt16LE(entry.name.length, at + 22)
    if (inDirectory) {
      header.writeUInt32LE((MODE << 16) >>> 0, 38)
      header.writeUInt32LE(entry.offset, 42)
    }
    return header
  }

  async #write(...pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      await this.#file.write(piece, 0, piece.length, this.#at)
      this.#at += piece.length
    }
    if (this.#at > BYTES_MAX) throw tooLarge()
  }
}

function dosTime(time: Date): number {
  const year = Math.min(127, Math.max(0, time.getUTCFullYear() - 1980))
  const date = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return ((date << 16) | clock) >>> 0
}

function tooLarge(): OpError {
  return new OpError('usage', 'this is too much for a zip file (4 GB, 65535 files); make a folder instead')
}
