import type { ParsedParams, Result, WEB_OPERATIONS } from '@transom/protocol'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { findPlaces } from '@transom/grid'
import { placeCopy, refuseTarget } from '../lib/placed-file.ts'
import type { Sessions } from '../session/sessions.ts'
import type { PageControl } from '../session/capabilities.ts'
import type { Session } from '../session/session.ts'
import { actorOf, type Handlers } from './dispatch.ts'

/** What only a web page can be told, or asked. */
export function webHandlers(
  home: Home,
  sessions: Sessions,
  { now }: { now: () => number },
): Pick<Handlers, keyof typeof WEB_OPERATIONS> {
  return {
    'web.navigate': async ({ session, url, timeout_ms, actor }, context) => {
      const { control } = await sessions.capability(session, 'page')
      const by = actorOf(context, actor)
      return { seq: await control.navigate(url, by, { timeoutMs: timeout_ms, signal: context.signal }) }
    },
    'web.go_back': async ({ session, actor }, context) =>
      (await sessions.capability(session, 'page')).control.step('go_back', actorOf(context, actor)),
    'web.go_forward': async ({ session, actor }, context) =>
      (await sessions.capability(session, 'page')).control.step('go_forward', actorOf(context, actor)),
    'web.reload': async ({ session, actor }, context) => {
      const { control } = await sessions.capability(session, 'page')
      return { seq: await control.reload(actorOf(context, actor)) }
    },
    'web.set_zoom': async ({ session, percent, actor }, context) => {
      const { control } = await sessions.capability(session, 'page')
      return { seq: await control.setZoom(percent, actorOf(context, actor)) }
    },
    'web.answer_dialog': async ({ session, answer, text, actor }, context) => {
      const { control } = await sessions.capability(session, 'page')
      return { seq: await control.answerDialog(answer === 'accept', text, actorOf(context, actor)) }
    },
    'web.links': async ({ session }) => {
      const { control } = await sessions.capability(session, 'page')
      return { links: await control.links() }
    },
    'web.find_text': async ({ session, text, ignore_case }) => {
      const { session: target } = await sessions.capability(session, 'page')
      const screen = await target.look()
      const shown = { grid: screen.frame().text, canonical: screen.canonical() }
      const places = findPlaces(shown, text.trim(), { ignoreCase: ignore_case ?? false })
      return { matches: places.map(({ middle: _middle, ...match }) => match) }
    },
    'web.paint': async (params) => {
      const { session, control } = await sessions.capability(params.session, 'page')
      return paint({ session, control }, new ArtifactStore(home.sessionFolder(session.id), now), params)
    },
    'web.state': async ({ session }) => {
      const { session: target, control } = await sessions.capability(session, 'page')
      const details = await control.details()
      const page = target.screen.views.page?.()
      if (page === undefined) throw new Error('a session with a page shows one')
      return { session: target.id, ...page, ...details }
    },
  }
}

const PNG_WIDTH_AT = 16 // in the header chunk, which comes first
const PNG_HEIGHT_AT = 20

async function paint(
  { session, control }: { session: Session; control: PageControl },
  store: ArtifactStore,
  { full_page, out, force, inline }: ParsedParams<'web.paint'>,
): Promise<Result<'web.paint'>> {
  const place = out === undefined ? null : { out, force: force ?? false }
  if (place !== null) await refuseTarget(place)
  const png = await control.paint(full_page ?? false)
  const { seq } = session.log
  const artifact = await store.add({ kind: 'screenshot', format: 'png', seq }, png)
  const kept = store.pathOf(artifact)
  if (place !== null) await placeCopy(kept, place)
  return {
    session: session.id,
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
