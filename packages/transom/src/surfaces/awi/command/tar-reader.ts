const BLOCK_BYTES = 512

export interface TarFile {
  /** As the archive has it; only compared, never used as a path. */
  readonly name: string
  readonly bytes: Buffer
}

/** The ordinary files of a tar archive (ustar), as views of its bytes. */
export function* readTar(archive: Buffer): Generator<TarFile> {
  for (let at = 0; at + BLOCK_BYTES <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK_BYTES)
    if (header[0] === 0) return // the archive's end is empty blocks
    const size = Number.parseInt(textAt(header, 124, 12), 8)
    const start = at + BLOCK_BYTES
    if (!Number.isSafeInteger(size) || size < 0 || start + size > archive.length) {
      throw new RangeError(`the archive is damaged at byte ${at}`)
    }
    const type = String.fromCharCode(header[156] ?? 0)
    const prefix = textAt(header, 345, 155)
    const name = textAt(header, 0, 100)
    if (type === '0' || type === '\0') {
      yield { name: prefix === '' ? name : `${prefix}/${name}`, bytes: archive.subarray(start, start + size) }
    }
    at = start + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
}

function textAt(header: Buffer, from: number, length: number): string {
  const field = header.toString('latin1', from, from + length)
  const end = field.indexOf('\0')
  return (end < 0 ? field : field.slice(0, end)).trim()
}
