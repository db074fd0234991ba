import * as path from 'node:path'
import type { ParsedParams, RecordingFormat, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { placeCopy, refuseTarget } from '../lib/placed-file.ts'
import type { RecordingRequest } from '../evidence/recordings/make-recording.ts'
import { RECORDED_TIMING, type Timing } from '../evidence/recordings/timeline.ts'
import type { Sessions } from '../session/sessions.ts'
import type { HandlersOf } from './dispatch.ts'
import type { Recorder } from './recorder.ts'

/** What recordings need of the host. */
export interface RecordingControl {
  readonly recorder: Recorder
  /** The folder with the glyphs. */
  readonly assets: string
  readonly now: () => number
}

const EXTENSIONS: Readonly<Record<RecordingFormat, string>> = {
  'asciicast-v2': 'cast',
  'asciicast-v3': 'cast',
  html: 'html',
  apng: 'png',
  gif: 'gif',
  webm: 'webm',
  mp4: 'mp4',
}

export function recordingHandlers(
  home: Home,
  sessions: Sessions,
  control: RecordingControl,
): HandlersOf<'session.export'> {
  return {
    'session.export': async (params, { signal, progress }) => {
      const { manifest, live } = await sessions.find(params.session)
      const { session, name } = manifest
      const format = params.format ?? formatOf(params.out)
      const store = params.save ? new ArtifactStore(home.sessionFolder(session), control.now) : null
      if (params.out === undefined && store === null)
        throw new OpError('usage', 'nowhere to write to; give `out`, an absolute path, or `save`')
      if (params.out !== undefined) await refuseTarget({ out: params.out, force: params.force ?? false })
      const request = {
        folder: home.sessionFolder(session),
        session,
        name,
        format,
        ...(store === null
          ? { out: params.out ?? '', force: params.force ?? false }
          : { out: store.temporaryFile(), force: true }),
        fromSeq: params.from_seq ?? null,
        toSeq: Math.min(params.to_seq ?? Infinity, live?.log.seq ?? Infinity),
        timing: timingOf(params),
        framesPerSecond: params.fps,
        scale: params.scale,
        theme: params.theme,
        assets: control.assets,
      } satisfies Omit<RecordingRequest, 'temporary'>
      const onProgress = (done: number) => progress({ done })
      const made = await control.recorder.record(request, { signal, onProgress })
      const { lastSeq, fromSeq, durationMs, bytes, frames, width, height } = made
      if (store !== null && params.out !== undefined)
        await placeCopy(request.out, { out: params.out, force: params.force ?? false })
      const capture = { kind: 'recording', format: EXTENSIONS[format], seq: lastSeq, fromSeq } as const
      return {
        session,
        format,
        path: params.out ?? null,
        artifact: (await store?.adopt(capture, request.out)) ?? null,
        bytes,
        from_seq: fromSeq,
        last_seq: lastSeq,
        duration_ms: durationMs,
        frames,
        width,
        height,
      } satisfies Result<'session.export'>
    },
  }
}

/** By default a recording shows everything, at its original speed. */
export function recordingDefaults({ assets }: RecordingControl) {
  const pictures = { framesPerSecond: 20, scale: 1, theme: 'dark' } as const
  return { ...pictures, force: false, fromSeq: null, timing: RECORDED_TIMING, assets }
}

function formatOf(out: string | undefined): RecordingFormat {
  const extension = path.extname(out ?? '').slice(1)
  if (extension === '' || extension === 'cast') return 'asciicast-v2'
  const named = Object.entries(EXTENSIONS).find(([format, it]) => it === extension || format === extension)
  if (named !== undefined) return named[0] as RecordingFormat // a key of the table
  const message = `no recording format has the extension ".${extension}"; give \`format\`: ${Object.keys(EXTENSIONS).join(', ')}`
  throw new OpError('usage', message, { out })
}

function timingOf({ speed, idle_limit_ms }: ParsedParams<'session.export'>): Timing {
  if (speed !== 'max' && Number(speed) === 0) throw new OpError('usage', '`speed` must be more than 0')
  return { speed: speed === 'max' ? 'max' : Number(speed), idleLimitMs: idle_limit_ms ?? null }
}
