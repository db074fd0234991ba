import type * as fs from 'node:fs/promises'
import { EVENT_TYPE_NUMBERS, type ParsedParams } from '@transom/protocol'
import { writeNewFile } from '../lib/new-file.ts'
import { fileError } from '../lib/system-error.ts'
import { eventRecord } from '../log/event-record.ts'
import type { LogRecord } from '../log/record.ts'
import type { StoredEvents } from '../log/stored-events.ts'
import { createScreen } from '../screen/create-screen.ts'
import type { Screen } from '../screen/screen.ts'
import { TextHistory } from '../terminal/text-history.ts'
import { createdOf, screenEventOf } from './screen-events.ts'

const WRITE_BYTES = 256 << 10 // as much as the log is read in

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
export async function exportLog(events: StoredEvents, options: ExportOptions): Promise<Exported> {
  return writeNewFile(options, async (file) => writeExport(events, file, options))
}

async function writeExport(
  events: StoredEvents,
  file: fs.FileHandle,
  { format: name, out, untilSeq: to, signal }: ExportOptions,
): Promise<Exported> {
  const format = FORMATS[name](events.path)
  let bytes = 0
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  const write = async () => {
    try {
      await file.writeFile(Buffer.concat(waiting)) // goes on where the last one ended
    } catch (error) {
      throw fileError(error, `write ${out}`, { file: out })
    }
    waiting = []
    waitingBytes = 0
  }
  const take = (pieces: readonly Uint8Array[]) => {
    for (const piece of pieces) {
      waiting.push(piece)
      waitingBytes += piece.length
      bytes += piece.length
    }
    return waitingBytes < WRITE_BYTES ? undefined : write()
  }
  const apply = (record: LogRecord) => take(format.take(record))
  const { records, lastSeq } = await events.fold([{ apply }], { to, signal, damage: 'refuse' })
  await take(format.end())
  await write()
  return { bytes, records, last_seq: lastSeq }
}

interface Formatter {
  take(record: LogRecord): Uint8Array[]
  end(): Uint8Array[]
}

const FORMATS: Readonly<Record<Format, (path: string) => Formatter>> = {
  raw: () => ({
    take: ({ typeNumber, payload }) => (typeNumber === EVENT_TYPE_NUMBERS.output ? [payload] : []),
    end: () => [],
  }),
  jsonl: () => ({
    take: (record) => [Buffer.from(`${jsonLine(record)}\n`)],
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
    take: (record) => {
      formatter ??=
        createdOf(record, path).kind === 'web' ? pageText(record, path) : historyText(record, path)
      return formatter.take(record)
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
    take: (record) => {
      const event = screenEventOf(record)
      if (event.type !== 'web_frame' && event.type !== 'web_page') history.apply(event)
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
    take: (record) => {
      const event = screenEventOf(record)
      const url = event.type === 'web_page' ? event.page.url : undefined
      const left = url === undefined || url === screen.page()?.url ? [] : shown()
      screen.apply(record.seq, event)
      return left
    },
    end: shown,
  }
}
