import { plainSizeOf } from './compressed-segment.ts'
import { readIndexFile, writeIndexFile } from './index-file.ts'
import { SegmentChain, type SegmentFile } from './segment-chain.ts'
import { scanSegment, type Tail } from './segment-reader.ts'
import { SparseIndex } from './sparse-index.ts'

/** A shorter segment is read from its start in less time than another file takes to open and keep. */
export const INDEXED_BYTES_MIN = 1 << 20

/** How far a log can be read. */
export interface LogExtent {
  /** The readable segments: up to the first one that is torn or damaged. */
  readonly chain: SegmentChain
  readonly tail: Tail
  /** Segments after the last one with a record: their writer died before it appended to them. */
  readonly empty: readonly SegmentFile[]
}

interface Scan {
  readonly index: SparseIndex
  readonly tail: Tail
  readonly sizeBytes: number
}

/** Finds out where the records of a log lie, from index files or by reading. Remembers what it has read. */
export class ExtentReader {
  readonly #scans = new Map<string, Scan>()

  async read(files: readonly SegmentFile[], signal?: AbortSignal): Promise<LogExtent> {
    const chain = new SegmentChain()
    for (const [at, file] of files.entries()) {
      const { index, tail } = await this.scan(file, signal)
      const later = files.slice(at + 1)
      const isEnd = at > 0 && index.lastSeq < file.firstSeq && (await areEmpty(later))
      if (isEnd && tail !== 'damaged') return { chain, tail: 'none', empty: [file, ...later] }
      chain.add(file, index)
      if (tail === 'none') continue
      // A writer goes on in a new segment only when the one before is whole on disk.
      const isTorn = tail === 'torn' && (await areEmpty(later))
      return { chain, tail: isTorn ? 'torn' : 'damaged', empty: isTorn ? later : [] }
    }
    return { chain, tail: 'none', empty: [] }
  }

  /** The index of one segment, and what follows its last record. */
  async scan(file: SegmentFile, signal?: AbortSignal): Promise<Scan> {
    const sizeBytes = await plainSizeOf(file.path)
    const known = this.#scans.get(file.path)
    if (known !== undefined && known.sizeBytes === sizeBytes) return known
    const saved = await readIndexFile(file.path, sizeBytes)
    const scan =
      saved === null
        ? await this.#scan(file, known?.index ?? new SparseIndex(file.firstSeq - 1), signal)
        : { index: saved, tail: 'none' as const, sizeBytes }
    this.#scans.set(file.path, scan)
    return scan
  }

  async #scan({ path }: SegmentFile, index: SparseIndex, signal?: AbortSignal): Promise<Scan> {
    const before = index.offset
    const { tail, sizeBytes } = await scanSegment(path, index, signal)
    if (tail === 'none' && index.offset - before >= INDEXED_BYTES_MIN) {
      // For the next reader. It costs nothing if the segment grows meanwhile, or if the Home cannot be written to.
      await writeIndexFile(path, index).catch(() => null)
    }
    return { index, tail, sizeBytes }
  }
}

/** Whether segments have no record: not even a torn one that could have been more. */
async function areEmpty(files: readonly SegmentFile[]): Promise<boolean> {
  for (const { path, firstSeq } of files) {
    const index = new SparseIndex(firstSeq - 1)
    const { tail } = await scanSegment(path, index)
    if (tail === 'damaged' || index.lastSeq >= firstSeq) return false
  }
  return true
}
