import * as os from 'node:os'
import type { Params, Result, SessionInfo } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import type { HomeConfig } from '../home/config.ts'
import type { Home } from '../home/home.ts'
import { publicInfo } from '../home/manifest.ts'
import type { PicturePool } from '../evidence/picture-worker/picture-pool.ts'
import { Conversations } from '../session/conversations.ts'
import type { SessionRequest } from '../session/kind-registry.ts'
import type { Sessions } from '../session/sessions.ts'
import { blockHandlers } from './block-handlers.ts'
import {
  actorOf,
  inEpochs,
  writerOf,
  type Handlers,
  type HostOperations,
  type RequestContext,
} from './dispatch.ts'
import { artifactHandlers } from './artifact-handlers.ts'
import { runBatch } from './batch-handler.ts'
import { createHousekeepingHandlers, type HousekeepingControl } from './housekeeping-handlers.ts'
import { leaseHandlers } from './lease-handlers.ts'
import { inputHandlers } from './input-handlers.ts'
import { recordingHandlers, type RecordingControl } from './recording-handlers.ts'
import { ptyHandlers } from './pty-handlers.ts'
import { shellInit } from './shell-init-handler.ts'
import { waitFor } from './wait-for-handler.ts'
import { listWatched } from './session-watch.ts'
import { subscriptionHandlers } from './subscription-handlers.ts'
import { viewHandlers } from './view-handlers.ts'
import { webHandlers } from './web-handlers.ts'

/** What the handlers need of the host itself. */
export interface HostControl extends HousekeepingControl, RecordingControl {
  readonly config: HomeConfig
  readonly pictures: PicturePool
  status(): Result<'host.status'>
  /** Throws if no new session may start any more. */
  assertOpen(): void
  /** Creates a session in a host of its own, for the principal of this request. */
  createDedicated(params: Params<'session.create'>, context: RequestContext): Promise<SessionInfo>
  /** Ends the host, after the answer has been sent. */
  leave(): void
  setDebug(enabled: boolean): Result<'host.debug'>
}

/** One handler for each operation. They translate; the work is done by sessions and replays. */
export function createOperations(home: Home, sessions: Sessions, control: HostControl): HostOperations {
  const conversations = new Conversations(sessions, () => conversationShell(control))
  const handlers: Handlers = {
    ...inputHandlers(sessions),
    ...webHandlers(home, control),
    ...viewHandlers(home, sessions, control),
    ...ptyHandlers(conversations),
    ...blockHandlers({ home, sessions, conversations }),
    'session.shell_init': shellInit,
    'pty.wait_for': (params, { signal }) => waitFor({ home, sessions, conversations }, params, signal),
    'session.create': async ({ dedicated, ...params }, context) => {
      control.assertOpen()
      control.registration.ensure()
      if (dedicated) return control.createDedicated(params, context)
      const session = await sessions.create(params, actorOf(context))
      return publicInfo(session.manifest)
    },
    'session.list': async ({ all }, { signal }) => ({
      sessions: await listWatched(sessions, all ?? false, signal),
    }),
    'session.quota': async ({ session, bytes, policy }, context) => {
      const target = await sessions.commandTarget(session)
      const change = {
        ...(bytes === undefined ? {} : { sessionBytes: bytes }),
        ...(policy === undefined ? {} : { policy }),
      }
      target.setQuota(change, actorOf(context))
      const { sessionBytes, policy: now } = target.quota
      return { session: target.id, bytes: sessionBytes, policy: now, used_bytes: target.log.sizeBytes }
    },
    'session.destroy': async ({ session, lease }, context) => {
      const { live } = await sessions.find(session)
      if (live !== null) writerOf(live, context, { lease }) // what another caller holds stays
      return publicInfo(await sessions.destroy(session, actorOf(context)))
    },
    ...leaseHandlers(sessions),
    ...subscriptionHandlers(sessions),
    ...recordingHandlers(home, sessions, control),
    ...artifactHandlers(home, sessions, control),
    ...createHousekeepingHandlers(home, sessions, control),
    'host.status': () => control.status(),
    'host.stop': async ({ force }, context) => {
      const active = sessions.activeCount
      if (active > 0 && !force) {
        const message = active === 1 ? 'one session is active' : `${active} sessions are active`
        const forced = next({ call: 'host.stop', params: { force: true }, does: 'ends them' })
        throw new OpError('host_busy', message, { sessions: active, ...forced })
      }
      const destroyed = await sessions.destroyAll(actorOf(context))
      control.leave()
      return { stopped: true as const, destroyed }
    },
    'host.debug': ({ state }) => control.setDebug(state === 'on'),
    'session.batch': async ({ session, steps, keep_going, actor, lease, timeout_ms: timeoutMs }, context) => {
      const { id, lease: held } = await sessions.commandTarget(session)
      const batch = { session: id, keepGoing: keep_going ?? false, actor, lease, timeoutMs }
      // Steps that follow a change of hands are refused, also when the lease was given back meanwhile.
      return runBatch(operations, batch, steps, inEpochs(context, new Map([[id, held.epoch]])))
    },
  }
  const operations: HostOperations = {
    handlers,
    findTarget: async (ref, needed) => {
      if (needed !== 'blocks') return sessions.capability(ref, needed)
      const session = await conversations.get(ref)
      return { session, control: session.capability(needed) }
    },
  }
  return operations
}

/** What a conversation's session is started with. */
function conversationShell(control: HostControl): Omit<SessionRequest, 'follows'> {
  control.assertOpen()
  control.registration.ensure()
  return { command: ['bash'], cwd: os.homedir() }
}
