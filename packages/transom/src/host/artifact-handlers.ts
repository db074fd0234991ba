import type { ARTIFACT_OPERATIONS, Artifact, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Handlers } from './dispatch.ts'

/** What was captured of sessions, live or ended. */
export function artifactHandlers(
  home: Home,
  sessions: Sessions,
  now: () => number,
): Pick<Handlers, keyof typeof ARTIFACT_OPERATIONS> {
  const find = async (ref: string) => {
    const { manifest } = await sessions.find(ref)
    return { id: manifest.session, store: new ArtifactStore(home.sessionFolder(manifest.session), now) }
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
    'artifacts.pin': async ({ session, artifact }) => pin(session, artifact, true),
    'artifacts.unpin': async ({ session, artifact }) => pin(session, artifact, false),
  }
}

function listed(session: string, { folder }: ArtifactStore, artifacts: Artifact[]): Result<'artifacts.list'> {
  return { session, folder, artifacts }
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
