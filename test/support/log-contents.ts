import * as path from 'node:path'
import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import type { LogRecord } from '../../packages/transom/src/log/record.ts'
import { StoredEvents } from '../../packages/transom/src/log/stored-events.ts'

/** Every record of the Event Log with this first file. Throws when it is torn or damaged, or its seqs have a gap. */
export async function readLog(file: string): Promise<LogRecord[]> {
  const events = StoredEvents.at(path.dirname(file))
  const { tail } = await events.extent()
  if (tail !== 'none') throw new Error(`${file} has a ${tail} tail`)
  const all: LogRecord[] = []
  for await (const records of events.read()) all.push(...records)
  const gap = all.findIndex(({ seq }, index) => seq !== index + 1)
  if (gap >= 0) throw new Error(`${file} has seq ${all[gap]?.seq} where ${gap + 1} should be`)
  return all
}

/** What the program wrote, as the log has it. */
export async function loggedOutput(file: string): Promise<Buffer> {
  const records = await readLog(file)
  const output = records.filter(({ typeNumber }) => typeNumber === EVENT_TYPE_NUMBERS.output)
  return Buffer.concat(output.map(({ payload }) => payload))
}
