import type * as fs from 'node:fs/promises'
import { EVENT_TYPE_NUMBERS, type ParsedParams } from '@transom/protocol'
import { writeNewFile } from '../../lib/new-file.ts'
import { fileError } from '../../lib/system-error.ts'
import { eventRecord } from '../../log/event-record.ts'
import type { LogRecord } from '../../log/record.ts'
import { createdOf } from '../../log/facts.ts'
import type { TextExport } from '../../session/kind.ts'
import type { SessionLog } from '../../session/session-log.ts'

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
export async function exportLog(log: SessionLog, options: ExportOptions): Promise<Exported> {
  return writeNewFile(options, async (file) => writeExport(log, file, options))
}

async function writeExport(
  log: SessionLog,
  file: fs.FileHandle,
  { format: name, out, untilSeq: to, signal }: ExportOptions,
): Promise<Exported> {
  const format = FORMATS[name](log)
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
  const { records, lastSeq } = await log.events.fold([{ apply }], { to, signal, damage: 'refuse' })
  await take(format.end())
  await write()
  return { bytes, records, last_seq: lastSeq }
}

const FORMATS: Readonly<Record<Format, (log: SessionLog) => TextExport>> = {
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

function textFormatter({ events, kinds }: SessionLog): TextExport {
  let format: TextExport | null = null
  return {
    take: (record) => {
      if (format === null) {
        const created = createdOf(record, events.path)
        format = kinds.get(created.kind).exportText(created)
      }
      return format.take(record)
    },
    end: () => format?.end() ?? [],
  }
}
