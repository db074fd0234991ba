import type * as fs from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { EVENT_TYPE_NUMBERS, type ParsedParams } from '@transom/protocol'
import { writeNewFile } from '../lib/new-file.ts'
import { fileError } from '../lib/system-error.ts'
import { eventRecord } from '../log/event-record.ts'
import type { LogRecord } from '../log/record.ts'
import { soundRecords } from '../log/sound-records.ts'
import { createScreen } from '../screen/create-screen.ts'
import type { Screen } from '../screen/screen.ts'
import { TextHistory } from '../terminal/text-history.ts'
import { createdOf, screenEventOf } from './replay.ts'

const TURN_BYTES = 16 << 10 // some milliseconds of emulation, the slowest of the formats

type Format = ParsedParams<'log.export'>['format']

export interface ExportOptions {
  readonly format: Format
  /** Absolute. */
  readonly out: string
  readonly force: boolean
  /** The last record to export. A live session goes on while it is read. */
  readonly untilSeq?: number | undefined
  readonly signal: AbortSignal
}

export interface Exported {
  readonly bytes: number
  readonly records: number
  readonly last_seq: number
}

/**
 * Writes a log to a file in another format, in memory of a fixed size however long the log is. The file appears
 * when it is whole; a damaged log is refused, because what would be written is not what happened.
 */
export async function exportLog(path: string, options: ExportOptions): Promise<Exported> {
  return writeNewFile(options, async (file) => writeExport(path, file, options))
}

async function writeExport(path: string, file: fs.FileHandle, options: ExportOptions): Promise<Exported> {
  const format = FORMATS[options.format](path)
  let bytes = 0
  let records = 0
  let lastSeq = 0
  const write = async (pieces: readonly Uint8Array[]) => {
    const content = Buffer.concat(pieces)
    bytes += content.length
    try {
      await file.writeFile(content) // goes on where the last one ended
    } catch (error) {
      throw fileError(error, `write ${options.out}`, { file: options.out })
    }
  }
  for await (const batch of soundRecords(path, options)) {
    records += batch.length
    lastSeq = batch.at(-1)?.seq ?? lastSeq
    for (const part of inTurns(batch)) {
      await write(format.take(part))
      await turn()
    }
  }
  await write(format.end())
  return { bytes, records, last_seq: lastSeq }
}

/** The records in groups that do not keep the host's sessions waiting. */
function* inTurns(records: readonly LogRecord[]): Generator<LogRecord[]> {
  let group: LogRecord[] = []
  let bytes = 0
  for (const record of records) {
    group.push(record)
    bytes += record.payload.length
    if (bytes < TURN_BYTES) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

interface Formatter {
  take(records: readonly LogRecord[]): Uint8Array[]
  end(): Uint8Array[]
}

const FORMATS: Readonly<Record<Format, (path: string) => Formatter>> = {
  raw: () => ({
    take: (records) =>
      records
        .filter(({ typeNumber }) => typeNumber === EVENT_TYPE_NUMBERS.output)
        .map(({ payload }) => payload),
    end: () => [],
  }),
  jsonl: () => ({
    take: (records) => records.map((record) => Buffer.from(`${jsonLine(record)}\n`)),
    end: () => [],
  }),
  text: textFormatter,
}

/** JSON leaves DEL and the C1 controls as they are; a viewer's terminal would obey them. */
function jsonLine(record: LogRecord): string {
  return JSON.stringify(eventRecord(record)).replaceAll(
    /[\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function textFormatter(path: string): Formatter {
  let formatter: Formatter | null = null
  return {
    take: (records) => {
      const [first] = records
      if (first === undefined) return []
      formatter ??= createdOf(first, path).kind === 'web' ? pageText(first, path) : historyText(first, path)
      return formatter.take(records)
    },
    end: () => formatter?.end() ?? [],
  }
}

/** Everything that a terminal showed, with what has scrolled off. */
function historyText(first: LogRecord, path: string): Formatter {
  let pieces: Uint8Array[] = []
  const { cols, rows } = createdOf(first, path)
  const history = new TextHistory(cols, rows, (text) => pieces.push(Buffer.from(text)))
  const takePieces = () => {
    const taken = pieces
    pieces = []
    return taken
  }
  return {
    take: (records) => {
      for (const record of records) {
        const event = screenEventOf(record)
        if (event.type !== 'web_frame' && event.type !== 'web_page') history.apply(event)
      }
      return takePieces()
    },
    end: () => {
      history.end()
      return takePieces()
    },
  }
}

/** What a web page showed when it was left, under its address, page by page. */
function pageText(first: LogRecord, path: string): Formatter {
  const screen: Screen = createScreen(createdOf(first, path))
  const shown = () => {
    const { text } = screen.canonical()
    return text === '' ? [] : [Buffer.from(`${screen.page()?.url ?? ''}\n${text}\n\n`)]
  }
  return {
    take: (records) =>
      records.flatMap((record) => {
        const event = screenEventOf(record)
        const url = event.type === 'web_page' ? event.page.url : undefined
        const left = url === undefined || url === screen.page()?.url ? [] : shown()
        screen.apply(record.seq, event)
        return left
      }),
    end: shown,
  }
}
