import * as path from 'node:path'
import type { Artifact, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { publicInfo } from '../home/manifest.ts'
import { exportLog } from '../evidence/replay/export-log.ts'
import { replayLog } from '../evidence/replay/replay.ts'
import type { FoundSession, Sessions } from '../session/sessions.ts'
import { makeBundle } from './bundle.ts'
import type { HandlersOf } from './dispatch.ts'
import { recordingDefaults, type RecordingControl } from './recording-handlers.ts'

/** What was captured of sessions, live or ended. */
export function artifactHandlers(
  home: Home,
  sessions: Sessions,
  control: RecordingControl,
): HandlersOf<`artifacts.${string}`> {
  const find = async (ref: string) => {
    const { manifest } = await sessions.find(ref)
    return {
      id: manifest.session,
      store: new ArtifactStore(home.sessionFolder(manifest.session), control.now),
    }
  }
  const pin = async (ref: string, artifact: number | undefined, pinned: boolean) => {
    const { id, store } = await find(ref)
    return listed(id, store, await store.pin(artifact ?? null, pinned))
  }
  return {
    'artifacts.list': async ({ session }) => {
      const { id, store } = await find(session)
      return listed(id, store, store.read())
    },
    'artifacts.verify': async ({ session }, { signal }) => {
      const { id, store } = await find(session)
      return verify(id, store, signal)
    },
    'artifacts.read': async ({ session, artifact: number, from_byte, max_bytes }) => {
      const { id, store } = await find(session)
      const artifact = store.get(number)
      const piece = await store.readPiece(artifact, from_byte, max_bytes)
      const end = from_byte + piece.length
      const next_byte = piece.length > 0 && end < artifact.bytes ? end : null
      return { session: id, artifact, data_b64: piece.toString('base64'), next_byte }
    },
    'artifacts.bundle': async ({ session, out, force }, { signal, progress }) => {
      const found = await sessions.find(session)
      const context = { home, control, signal, progress }
      return bundle(found, { out, force: force ?? false }, context)
    },
    'artifacts.pin': async ({ session, artifact }) => pin(session, artifact, true),
    'artifacts.unpin': async ({ session, artifact }) => pin(session, artifact, false),
  }
}

function listed(session: string, { folder }: ArtifactStore, artifacts: Artifact[]): Result<'artifacts.list'> {
  return { session, folder, artifacts }
}

interface BundleContext {
  readonly home: Home
  readonly control: RecordingControl
  readonly signal: AbortSignal
  readonly progress: (value: object) => void
}

async function bundle(
  { manifest, live, log }: FoundSession,
  target: { out: string; force: boolean },
  { home, control, signal, progress }: BundleContext,
): Promise<Result<'artifacts.bundle'>> {
  const { session, name } = manifest
  const store = new ArtifactStore(home.sessionFolder(session), control.now)
  const untilSeq = live?.log.seq
  const { screen, lastSeq } = await replayLog(log, {
    ...(untilSeq === undefined ? {} : { seq: untilSeq }),
    signal,
  })
  const writeRecording = async (folder: string) => {
    for (const [format, file] of [
      ['html', 'recording.html'],
      ['asciicast-v2', 'recording.cast'],
    ] as const) {
      const request = {
        ...recordingDefaults(control),
        folder: home.sessionFolder(session),
        session,
        name,
        format,
        toSeq: lastSeq,
      }
      const onProgress = (done: number) => progress({ done })
      await control.recorder.record({ ...request, out: path.join(folder, file) }, { signal, onProgress })
    }
    const out = path.join(folder, 'transcript.txt')
    await exportLog(log, { format: 'text', out, force: false, untilSeq, signal })
  }
  const made = await makeBundle({
    ...target,
    info: publicInfo(manifest),
    lastScreen: screen.canonical().text,
    artifacts: store.read(),
    pathOf: (artifact) => store.pathOf(artifact),
    writeRecording,
    now: new Date(control.now()),
  })
  return { session, path: target.out, ...made, last_seq: lastSeq }
}

async function verify(
  session: string,
  store: ArtifactStore,
  signal: AbortSignal,
): Promise<Result<'artifacts.verify'>> {
  const artifacts = store.read()
  const problems = await store.verify(signal)
  const { folder } = store
  const bytes = artifacts.reduce((sum, artifact) => sum + artifact.bytes, 0)
  const result = { session, folder, artifacts: artifacts.length, bytes, problems }
  const bad = problems.filter(({ problem }) => problem !== 'not_listed')
  if (bad.length === 0) return result
  const words = bad.map(({ file, problem }) => `${file} is ${problem}`).join(', ')
  const message = `${bad.length} of ${artifacts.length} artifacts in ${folder} are not what was captured: ${words}`
  throw new OpError('artifact_damaged', message, result)
}
