import * as fs from 'node:fs/promises'
import { OpError } from '@transom/protocol/errors'
import { checkFileHeader, judgeTail, readRecords } from './log-reader.ts'
import { FILE_HEADER_BYTES, type LogRecord } from './record.ts'

/** The records up to `untilSeq`. Throws where the log is damaged; a torn tail is none of the log. */
export async function* soundRecords(
  path: string,
  { untilSeq = Number.MAX_SAFE_INTEGER, signal }: { untilSeq?: number | undefined; signal: AbortSignal },
): AsyncGenerator<LogRecord[]> {
  const file = await fs.open(path, 'r')
  try {
    await checkFileHeader(file, path)
    const position = { offset: FILE_HEADER_BYTES }
    let lastSeq = 0
    for await (const records of readRecords(file, position, signal)) {
      const wanted = records.filter(({ seq }) => seq <= untilSeq)
      if (wanted.length > 0) yield wanted
      lastSeq = records.at(-1)?.seq ?? lastSeq
      if (lastSeq >= untilSeq) return
    }
    const { size } = await file.stat()
    const { offset } = position
    if ((await judgeTail(file, { offset, sizeBytes: size, lastSeq })) !== 'damaged') return
    const message = `${path} is damaged at byte ${offset}, after record ${lastSeq}; "transom log repair" keeps what can be read`
    throw new OpError('log_corrupt', message, { path, offset, last_seq: lastSeq })
  } finally {
    await file.close()
  }
}
