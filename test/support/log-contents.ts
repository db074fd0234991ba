import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { readRecords, scanLog, withLogFile } from '../../packages/transom/src/log/log-reader.ts'
import { FILE_HEADER_BYTES, type LogRecord } from '../../packages/transom/src/log/record.ts'

/** Every record of an Event Log. Throws when the log is torn or damaged, or its seqs have a gap. */
export async function readLog(path: string): Promise<LogRecord[]> {
  const { tail } = await scanLog(path)
  if (tail !== 'none') throw new Error(`${path} has a ${tail} tail`)
  return withLogFile(path, async (file) => {
    const all: LogRecord[] = []
    for await (const records of readRecords(file, { offset: FILE_HEADER_BYTES })) all.push(...records)
    const gap = all.findIndex(({ seq }, index) => seq !== index + 1)
    if (gap >= 0) throw new Error(`${path} has seq ${all[gap]?.seq} where ${gap + 1} should be`)
    return all
  })
}

/** What the program wrote, as the log has it. */
export async function loggedOutput(path: string): Promise<Buffer> {
  const records = await readLog(path)
  const output = records.filter(({ typeNumber }) => typeNumber === EVENT_TYPE_NUMBERS.output)
  return Buffer.concat(output.map(({ payload }) => payload))
}
