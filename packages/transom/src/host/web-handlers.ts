import type { ParsedParams, Result, WEB_OPERATIONS } from '@transom/protocol'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { placeCopy, refuseTarget } from '../lib/placed-file.ts'
import type { Sessions } from '../session/sessions.ts'
import type { WebSession } from '../session/web-session.ts'
import { linkRows, safeText } from '../sources/web/page-words.ts'
import { actorOf, type Handlers } from './dispatch.ts'

/** What only a web page can be told, or asked. */
export function webHandlers(
  home: Home,
  sessions: Sessions,
  { now }: { now: () => number },
): Pick<Handlers, keyof typeof WEB_OPERATIONS> {
  return {
    'web.navigate': async ({ session, url, timeout_ms, actor }, context) => {
      const target = await sessions.webTarget(session)
      const by = actorOf(context, actor)
      return { seq: await target.navigate(url, by, { timeoutMs: timeout_ms, signal: context.signal }) }
    },
    'web.go_back': async ({ session, actor }, context) =>
      (await sessions.webTarget(session)).step('go_back', actorOf(context, actor)),
    'web.go_forward': async ({ session, actor }, context) =>
      (await sessions.webTarget(session)).step('go_forward', actorOf(context, actor)),
    'web.reload': async ({ session, actor }, context) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.reload(actorOf(context, actor)) }
    },
    'web.set_zoom': async ({ session, percent, actor }, context) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.setZoom(percent, actorOf(context, actor)) }
    },
    'web.answer_dialog': async ({ session, answer, text, actor }, context) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.answerDialog(answer === 'accept', text, actorOf(context, actor)) }
    },
    'web.links': async ({ session }) => {
      const target = await sessions.webTarget(session)
      return { links: linkRows(await target.links()) }
    },
    'web.find_text': async ({ session, text, ignore_case }) => {
      const target = await sessions.webTarget(session)
      return { matches: await target.findText(text, ignore_case ?? false) }
    },
    'web.paint': async (params) => {
      const target = await sessions.webTarget(params.session)
      return paint(target, new ArtifactStore(home.sessionFolder(target.id), now), params)
    },
    'web.state': async ({ session }) => {
      const target = await sessions.webTarget(session)
      const { focus, ...details } = await target.details()
      const named = focus === null ? null : { ...focus, name: safeText(focus.name) }
      return { session: target.id, ...target.screen.page(), ...details, focus: named }
    },
  }
}

const PNG_WIDTH_AT = 16 // in the header chunk, which comes first
const PNG_HEIGHT_AT = 20

async function paint(
  target: WebSession,
  store: ArtifactStore,
  { full_page, out, force, inline }: ParsedParams<'web.paint'>,
): Promise<Result<'web.paint'>> {
  const place = out === undefined ? null : { out, force: force ?? false }
  if (place !== null) await refuseTarget(place)
  const png = await target.paint(full_page ?? false)
  const { seq } = target.log
  const artifact = await store.add({ kind: 'screenshot', format: 'png', seq }, png)
  const kept = store.pathOf(artifact)
  if (place !== null) await placeCopy(kept, place)
  return {
    session: target.id,
    seq,
    path: out ?? kept,
    artifact: artifact.id,
    bytes: artifact.bytes,
    sha256: artifact.sha256,
    width: png.readUInt32BE(PNG_WIDTH_AT),
    height: png.readUInt32BE(PNG_HEIGHT_AT),
    ...(inline ? { png_b64: png.toString('base64') } : {}),
  }
}
