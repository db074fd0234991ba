import { EVENT_TYPE_NUMBERS, type SubscriptionMessage } from '@transom/protocol'
import type { LogRecord } from '../log/record.ts'
import { BlockProjection, createdOf } from './block-projection.ts'

/** Turns the records of a log, from its first on, into what a subscriber to blocks is sent. */
export class BlockFollower {
  readonly #path: string
  readonly #subscription: number
  #projection: BlockProjection | null = null

  constructor(path: string, subscription: number) {
    this.#path = path
    this.#subscription = subscription
  }

  /** The block that runs, as one that begins: what it has printed so far is not repeated. */
  present(): SubscriptionMessage[] {
    const block = this.#projection?.running ?? null
    if (block === null) return []
    return [
      {
        subscription: this.#subscription,
        type: 'agent_block_begin',
        log_seq: block.log_seq_begin,
        block,
      },
    ]
  }

  take(record: LogRecord): SubscriptionMessage | null {
    this.#projection ??= new BlockProjection(createdOf(record, this.#path))
    const projection = this.#projection
    const running = projection.running
    const common = { subscription: this.#subscription, log_seq: record.seq }
    const { cursor } = projection
    projection.apply(record)
    switch (record.typeNumber) {
      case EVENT_TYPE_NUMBERS.output: {
        if (running === null) return null
        const data_b64 = Buffer.from(record.payload).toString('base64')
        return { ...common, type: 'agent_block_delta', block_id: running.block_id, cursor, data_b64 }
      }
      case EVENT_TYPE_NUMBERS.block_begin:
        return projection.running && { ...common, type: 'agent_block_begin', block: projection.running }
      case EVENT_TYPE_NUMBERS.block_end: {
        const ended = running === null ? null : projection.get(running.seq)
        return ended && { ...common, type: 'agent_block_end', block: ended }
      }
      default:
        return null
    }
  }
}
