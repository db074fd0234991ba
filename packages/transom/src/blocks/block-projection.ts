import {
  EVENT_TYPE_NUMBERS,
  blockBeginEvent,
  blockEndEvent,
  promptEvent,
  type Block,
  type Fact,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { createdOf, factOf } from '../log/facts.ts'
import type { LogRecord } from '../log/record.ts'
import type { StoredEvents } from '../log/stored-events.ts'

/** A prompt that the shell showed, and where in the output stream. */
export interface PromptPoint {
  readonly seq: number
  readonly cursor: number
  readonly exitCode: number | null
}

type RecordPlace = Pick<LogRecord, 'seq' | 'time'>

/**
 * The blocks of a session, derived from its Event Log record by record, live or from disk.
 *
 * The output stream is the concatenation of all `output` payloads: what the program wrote, byte for byte, without
 * the marks. A cursor counts its bytes.
 */
export class BlockProjection {
  readonly #session: string
  readonly #blocks: Block[] = []
  #cursor = 0
  /** Blocks that run, outermost first: a shell within a block has blocks of its own. */
  readonly #open: number[] = []
  #prompt: PromptPoint | null = null
  #cwd: string | null

  constructor({ session, cwd }: Pick<Fact<'created'>, 'session' | 'cwd'>) {
    this.#session = session
    this.#cwd = cwd
  }

  /** To be called with every record, in order. Those of other types say nothing of blocks and may be left out. */
  apply(record: LogRecord): void {
    switch (record.typeNumber) {
      case EVENT_TYPE_NUMBERS.output:
        this.#cursor += record.payload.length
        return
      case EVENT_TYPE_NUMBERS.block_begin:
        return this.#begun(factOf(record, blockBeginEvent), record)
      case EVENT_TYPE_NUMBERS.block_end:
        return this.#ended(factOf(record, blockEndEvent), record)
      case EVENT_TYPE_NUMBERS.prompt:
        return this.#prompted(factOf(record, promptEvent), record)
      default:
    }
  }

  /** The end of the output stream. */
  get cursor(): number {
    return this.#cursor
  }

  /** The shell's folder, if it has reported one. */
  get cwd(): string | null {
    return this.#cwd
  }

  /** The last prompt. */
  get prompt(): PromptPoint | null {
    return this.#prompt
  }

  /** The blocks in the order in which they began. The running one has no end; its output grows. */
  blocks(): Block[] {
    return this.#blocks.map((block) => this.#asOfNow(block))
  }

  get(ordinal: number): Block | null {
    const found = this.#blocks.find(({ seq }) => seq === ordinal)
    return found === undefined ? null : this.#asOfNow(found)
  }

  /** The blocks that run, outermost first. More than one when a shell within a block is integrated. */
  running(): Block[] {
    return this.#open.flatMap((index) => {
      const block = this.#blocks[index]
      return block === undefined ? [] : [this.#asOfNow(block)]
    })
  }

  /** The block that began last. */
  get latest(): Block | null {
    const block = this.#blocks.at(-1)
    return block === undefined ? null : this.#asOfNow(block)
  }

  /** As blocks(), when the log has come to its end: what has not ended by now never will. */
  finalBlocks(): Block[] {
    return this.blocks().map((block) =>
      block.state === 'running' ? { ...block, state: 'lost' as const, cursor_end: this.#cursor } : block,
    )
  }

  #begun(
    { block, ordinal, kind, command, actor, actor_label, cwd }: Fact<'block_begin'>,
    { seq, time }: RecordPlace,
  ): void {
    this.#open.push(this.#blocks.length)
    this.#blocks.push({
      block_id: block,
      seq: ordinal,
      session: this.#session,
      kind,
      state: 'running',
      command,
      cwd,
      cwd_after: null,
      actor,
      actor_label: actor_label ?? null,
      exit_code: null,
      ended_by: null,
      ts_begin: time,
      ts_end: null,
      duration_ms: null,
      cursor_begin: this.#cursor,
      cursor_end: null,
      output_bytes: 0,
      log_seq_begin: seq,
      log_seq_end: null,
    })
  }

  #ended({ block: id, exit_code, ended_by, cwd }: Fact<'block_end'>, { seq, time }: RecordPlace): void {
    const at = this.#open.findIndex((index) => this.#blocks[index]?.block_id === id)
    const index = this.#open[at]
    const block = index === undefined ? undefined : this.#blocks[index]
    if (block === undefined || index === undefined) return
    this.#open.splice(at, 1)
    this.#blocks[index] = {
      ...block,
      state: 'ended',
      exit_code,
      ended_by,
      cwd_after: cwd,
      ts_end: time,
      duration_ms: time - block.ts_begin,
      cursor_end: this.#cursor,
      output_bytes: this.#cursor - block.cursor_begin,
      log_seq_end: seq,
    }
    this.#cwd = cwd ?? this.#cwd
  }

  #prompted({ exit_code, cwd }: Fact<'prompt'>, { seq }: RecordPlace): void {
    this.#prompt = { seq, cursor: this.#cursor, exitCode: exit_code }
    this.#cwd = cwd ?? this.#cwd
  }

  #asOfNow(block: Block): Block {
    return block.state === 'running' ? { ...block, output_bytes: this.#cursor - block.cursor_begin } : block
  }
}

/** The blocks of a session from its log alone, to its end. */
export async function projectLog(events: StoredEvents, signal?: AbortSignal): Promise<BlockProjection> {
  const { path } = events
  const folded: { projection: BlockProjection | null } = { projection: null }
  const apply = (record: LogRecord) => {
    folded.projection ??= new BlockProjection(createdOf(record, path))
    folded.projection.apply(record)
  }
  await events.fold([{ apply }], { signal })
  if (folded.projection === null) throw new OpError('log_corrupt', `${path} has no records`, { path })
  return folded.projection
}
