/** A kind of session that a program adds to the product: a number that `+` and `-` change. */
import { z } from 'zod'
import { EVENT_TYPE_NUMBERS, type Writer } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { Grid, canonicalText, createGridTables } from '@transom/grid'
import type { LogRecord } from '../../packages/transom/src/log/record.ts'
import type {
  Act,
  Acted,
  EventSink,
  KindDefinition,
  KindView,
  Source,
} from '../../packages/transom/src/session/kind.ts'
import type { Projection } from '../../packages/transom/src/session/projection.ts'

const COLS = 12

class CounterProjection implements Projection {
  readonly views = {}
  seq = 0
  value = 0
  #grid = drawn(0)

  apply({ seq, typeNumber, payload }: LogRecord): void {
    this.seq = seq
    if (typeNumber !== EVENT_TYPE_NUMBERS.output) return
    this.value = Number(Buffer.from(payload).toString())
    this.#grid = drawn(this.value)
  }

  frame() {
    const cursor = { row: 0, col: 0, visible: false, shape: 'block', blink: false } as const
    const rest = {
      title: `count ${this.value}`,
      bells: 0,
      firstLine: 0,
      editedLines: [],
      written: new Float64Array(0),
    }
    return { grid: this.#grid, text: this.#grid, cursor, ...rest }
  }

  canonical() {
    return canonicalText(this.#grid)
  }

  checkpoint(): Uint8Array {
    return Buffer.from(JSON.stringify({ seq: this.seq, value: this.value }))
  }

  static restore(checkpoint: Uint8Array): CounterProjection {
    const { seq, value } = JSON.parse(Buffer.from(checkpoint).toString()) as { seq: number; value: number }
    const projection = new CounterProjection()
    projection.apply({
      seq,
      time: 0,
      typeNumber: EVENT_TYPE_NUMBERS.output,
      payload: Buffer.from(String(value)),
    })
    return projection
  }
}

function drawn(value: number): Grid {
  const grid = new Grid(COLS, 1, createGridTables())
  Array.from(`count: ${value}`).forEach((character, index) => {
    grid.codes[index] = character.codePointAt(0) ?? 0
  })
  return grid
}

class CounterSource implements Source {
  readonly capabilities = {}
  readonly #sink: EventSink
  readonly #projection: CounterProjection

  constructor(sink: EventSink, projection: CounterProjection) {
    this.#sink = sink
    this.#projection = projection
    sink.started(process.pid)
    this.#show(0)
  }

  async act(act: Act, writer: Writer): Promise<Acted> {
    if (act.act !== 'type') throw new OpError('usage', 'a counter is typed to: + or -')
    const seq = this.#sink.act('input', { via: 'type', length: act.text.length, data_b64: null }, writer)
    this.#sink.entered(seq)
    for (const sign of act.text)
      if (sign === '+' || sign === '-') this.#show(this.#projection.value + (sign === '+' ? 1 : -1))
    return { seq }
  }

  pause(): void {}

  async end(): Promise<number[]> {
    this.#sink.exited({ code: 0, signal: null })
    return []
  }

  close(): void {}

  #show(value: number): void {
    this.#sink.output(Buffer.from(String(value)))
  }
}

export const COUNTER_VIEW = {
  name: 'counter',
  words: 'a counter',
  capabilities: new Set<never>(),
  shows: 'output',
  project: () => new CounterProjection(),
  restore: (_created: unknown, checkpoint: Uint8Array) => CounterProjection.restore(checkpoint),
  exportText: () => ({
    take: ({ typeNumber, payload }: LogRecord) =>
      typeNumber === EVENT_TYPE_NUMBERS.output ? [Buffer.from(`${Buffer.from(payload).toString()}\n`)] : [],
    end: () => [],
  }),
} satisfies KindView

export const COUNTER_KIND: KindDefinition<object, CounterProjection> = {
  ...COUNTER_VIEW,
  options: z.strictObject({}),
  isMeantBy: () => false,
  plan: () => ({
    about: { command: [], cwd: '/', cols: COLS, rows: 1 },
    start: ({ sink, projection }) => new CounterSource(sink, projection),
  }),
}
