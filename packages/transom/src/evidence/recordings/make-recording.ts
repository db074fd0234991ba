import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import type { RecordingFormat } from '@transom/protocol'
import { writeNewFile } from '../../lib/new-file.ts'
import { fileError } from '../../lib/system-error.ts'
import { StoredEvents } from '../../log/stored-events.ts'
import type { SessionLog } from '../../session/session-log.ts'
import type { KindViews } from '../../session/kind-registry.ts'
import { AnimationRecorder } from './animation-recorder.ts'
import { CastRecorder, type WriteText } from './cast-recorder.ts'
import { HtmlRecorder, type PlayerAssets } from './html-recorder.ts'
import { PictureSink, type PictureSettings } from './picture-sink.ts'
import { readRange, type RangeRead, type RecordingRange } from './recorded-events.ts'
import { sizeOfRange } from './recording-size.ts'
import type { Timing } from './timeline.ts'

const TEXT_BUFFER_CHARS = 256 << 10 // as much as the log is read in: one write for each read

/** Everything that it takes to make a recording, as plain data. */
export interface RecordingRequest {
  /** The session's folder, with its Event Log. */
  readonly folder: string
  readonly session: string
  readonly name: string | null
  readonly format: RecordingFormat
  /** Absolute. */
  readonly out: string
  /** The file that is written, beside `out`, until it is whole. The host removes it if this process cannot. */
  readonly temporary: string
  readonly force: boolean
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly timing: Timing
  readonly framesPerSecond: number
  readonly scale: number
  readonly theme: PictureSettings['theme']
  /** The folder with the glyphs. */
  readonly assets: string
}

export interface RecordingMade extends RangeRead {
  readonly bytes: number
  readonly frames: number | null
  readonly width: number | null
  readonly height: number | null
}

export interface RecordingWork {
  readonly kinds: KindViews
  readonly player: PlayerAssets
  readonly signal: AbortSignal
  /** Called with the share of the log that is done, from 0 to 1. */
  readonly onProgress?: (done: number) => void
}

/** Makes a recording of a session from its log alone. The file appears when it is whole. */
export async function makeRecording(request: RecordingRequest, work: RecordingWork): Promise<RecordingMade> {
  const events = StoredEvents.at(request.folder)
  const log = { events, kinds: work.kinds }
  const logBytes = await events.sizeBytes()
  const { fromSeq, toSeq, timing } = request
  const onRead = (bytes: number) => work.onProgress?.(Math.min(1, bytes / logBytes))
  const range = { fromSeq, toSeq, timing, signal: work.signal, onRead }
  try {
    const made = await writeNewFile(request, async (file, path) =>
      record(request, { log, file, path, range, ...work }),
    )
    return { ...made, bytes: (await fs.stat(request.out)).size }
  } catch (error) {
    work.signal.throwIfAborted()
    throw error
  }
}

interface Target extends RecordingWork {
  readonly log: SessionLog
  readonly file: FileHandle
  readonly path: string
  readonly range: RecordingRange
}

type Recorded = Omit<RecordingMade, 'bytes'>

async function record(request: RecordingRequest, target: Target): Promise<Recorded> {
  switch (request.format) {
    case 'asciicast-v2':
      return recordText(request, target, (write) => new CastRecorder(2, write))
    case 'asciicast-v3':
      return recordText(request, target, (write) => new CastRecorder(3, write))
    case 'html': {
      const { session, name } = request
      return recordText(
        request,
        target,
        (write) => new HtmlRecorder({ session, name, player: target.player }, write),
      )
    }
    case 'apng':
    case 'gif':
    case 'webm':
    case 'mp4':
      return recordPictures(request, request.format, target)
    default:
      return request.format satisfies never
  }
}

async function recordText(
  { out }: RecordingRequest,
  { log, file, range }: Target,
  recorderFor: (write: WriteText) => CastRecorder | HtmlRecorder,
): Promise<Recorded> {
  let buffered = ''
  const flush = async () => {
    try {
      await file.appendFile(buffered)
    } catch (error) {
      throw fileError(error, `write ${out}`, { file: out })
    }
    buffered = ''
  }
  const recorder = recorderFor(async (text) => {
    buffered += text
    if (buffered.length > TEXT_BUFFER_CHARS) await flush()
  })
  const read = await readRange(log, range, recorder)
  await recorder.end(read)
  await flush()
  return { ...read, frames: null, width: null, height: null }
}

async function recordPictures(
  { framesPerSecond, scale, theme, assets }: RecordingRequest,
  format: PictureSettings['format'],
  { log, file, path, range, signal }: Target,
): Promise<Recorded> {
  const size = await sizeOfRange(log.events, range)
  const sink = new PictureSink(
    { format, framesPerSecond, scale, theme, size, assets },
    { file, path, signal },
  )
  const recorder = new AnimationRecorder(framesPerSecond, async (frame, durationMs) =>
    sink.show(frame, durationMs),
  )
  const read = await readRange(log, range, recorder)
  await recorder.end(read.durationMs)
  return { ...read, frames: await sink.end(), width: sink.width, height: sink.height }
}
