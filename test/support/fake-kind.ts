import { z } from 'zod'
import { EVENT_TYPE_NUMBERS, type Writer } from '@transom/protocol'
import { Grid, canonicalText, createGridTables } from '@transom/grid'
import type { Scope } from '../../packages/transom/src/lib/scope.ts'
import type { LogRecord } from '../../packages/transom/src/log/record.ts'
import type {
  Act,
  Acted,
  EventSink,
  KindDefinition,
  Source,
} from '../../packages/transom/src/session/kind.ts'
import type { PauseReason } from '../../packages/transom/src/session/pause-reasons.ts'
import type { Projection } from '../../packages/transom/src/session/projection.ts'

/** A kind of session that does what a test says, without a process. */
export function fakeKind(onStart: (source: FakeSource) => void): KindDefinition<object> {
  return {
    name: 'fake',
    words: 'a fake',
    capabilities: new Set(),
    shows: 'output',
    options: z.strictObject({}),
    isMeantBy: () => false,
    project: () => new TextProjection(),
    exportText: () => ({ take: () => [], end: () => [] }),
    plan: () => ({
      about: { command: [], cwd: '/', cols: 20, rows: 2 },
      start: ({ sink, scope }) => {
        const source = new FakeSource(sink, scope)
        onStart(source)
        return source
      },
    }),
  }
}

/** Shows the last text that its source printed. */
class TextProjection implements Projection {
  readonly views = {}
  seq = 0
  #grid = new Grid(20, 2, createGridTables())

  apply(record: LogRecord): void {
    this.seq = record.seq
    if (record.typeNumber !== EVENT_TYPE_NUMBERS.output) return
    this.#grid = new Grid(20, 2, createGridTables())
    Array.from(Buffer.from(record.payload).toString()).forEach((character, index) => {
      this.#grid.codes[index] = character.codePointAt(0) ?? 0
    })
  }

  frame() {
    const cursor = { row: 0, col: 0, visible: true, shape: 'block', blink: false } as const
    const rest = { title: '', bells: 0, firstLine: 0, editedLines: [], written: new Float64Array(0) }
    return { grid: this.#grid, text: this.#grid, cursor, ...rest }
  }

  canonical() {
    return canonicalText(this.#grid)
  }

  checkpoint() {
    return null
  }
}

/** A source that does what a test says. */
export class FakeSource implements Source {
  readonly capabilities = {}
  isBusy: () => boolean = () => false
  readonly sink: EventSink
  readonly scope: Scope
  readonly pauses: PauseReason[][] = []
  endWith: () => Promise<readonly number[]> = async () => {
    this.exits(0)
    return []
  }
  closed = false

  constructor(sink: EventSink, scope: Scope) {
    this.sink = sink
    this.scope = scope
    sink.started(1234)
  }

  get busy(): boolean {
    return this.isBusy()
  }

  async act(act: Act, writer: Writer): Promise<Acted> {
    const text = act.act === 'type' ? act.text : act.act
    const seq = this.sink.act('input', { via: 'type', length: text.length, data_b64: null }, writer)
    this.sink.entered(seq)
    this.prints(text)
    return { seq }
  }

  pause(reasons: ReadonlySet<PauseReason>): void {
    this.pauses.push([...reasons])
  }

  async end(): Promise<readonly number[]> {
    return this.endWith()
  }

  close(): void {
    this.closed = true
  }

  prints(text: string): void {
    this.sink.output(Buffer.from(text))
  }

  exits(code: number): void {
    this.sink.exiting()
    this.sink.exited({ code, signal: null })
  }
}
