import { EVENT_TYPE_NUMBERS, type SubscriptionMessage } from '@transom/protocol'
import type { LogRecord } from '../log/record.ts'
import { createdOf } from '../log/facts.ts'
import { BlockProjection } from './block-projection.ts'

/** Turns the records of a log, from its first on, into what a subscriber to blocks is sent. */
export class BlockFollower {
  readonly #path: string
  readonly #subscription: number
  #projection: BlockProjection | null = null

  constructor(path: string, subscription: number) {
    this.#path = path
    this.#subscription = subscription
  }

  /** The blocks that run, as some that begin: what they have printed so far is not repeated. */
  present(): SubscriptionMessage[] {
    return (this.#projection?.running() ?? []).map((block) => ({
      subscription: this.#subscription,
      type: 'agent_block_begin',
      log_seq: block.log_seq_begin,
      block,
    }))
  }

  /** The messages for a record. Its output belongs to every running block. */
  take(record: LogRecord): SubscriptionMessage[] {
    this.#projection ??= new BlockProjection(createdOf(record, this.#path))
    const projection = this.#projection
    const before = projection.running()
    const common = { subscription: this.#subscription, log_seq: record.seq }
    const { cursor } = projection
    projection.apply(record)
    switch (record.typeNumber) {
      case EVENT_TYPE_NUMBERS.output: {
        if (before.length === 0) return []
        const data_b64 = Buffer.from(record.payload).toString('base64')
        return before.map(({ block_id }) => ({
          ...common,
          type: 'agent_block_delta',
          block_id,
          cursor,
          data_b64,
        }))
      }
      case EVENT_TYPE_NUMBERS.block_begin:
        return projection
          .running()
          .slice(-1)
          .map((block) => ({ ...common, type: 'agent_block_begin', block }))
      case EVENT_TYPE_NUMBERS.block_end:
        return before.flatMap(({ seq }) => {
          const block = projection.get(seq)
          return block?.log_seq_end === record.seq ? [{ ...common, type: 'agent_block_end', block }] : []
        })
      default:
        return []
    }
  }
}
