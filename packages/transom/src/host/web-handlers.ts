import type { ParsedParams, Result } from '@transom/protocol'
import { ArtifactStore } from '../home/artifact-store.ts'
import type { Home } from '../home/home.ts'
import { findPlaces } from '@transom/grid'
import { placeCopy, refuseTarget } from '../lib/placed-file.ts'
import { writerOf, type HandlersOf, type Target } from './dispatch.ts'

/** The operations that only web pages have. */
export function webHandlers(home: Home, { now }: { now: () => number }): HandlersOf<`web.${string}`> {
  return {
    'web.navigate': async ({ url, timeout_ms, ...by }, context, { session, control }) => {
      const writer = writerOf(session, context, by)
      return { seq: await control.navigate(url, writer, { timeoutMs: timeout_ms, signal: context.signal }) }
    },
    'web.go_back': (by, context, { session, control }) =>
      control.step('go_back', writerOf(session, context, by)),
    'web.go_forward': (by, context, { session, control }) =>
      control.step('go_forward', writerOf(session, context, by)),
    'web.reload': async (by, context, { session, control }) => ({
      seq: await control.reload(writerOf(session, context, by)),
    }),
    'web.set_zoom': async ({ percent, ...by }, context, { session, control }) => ({
      seq: await control.setZoom(percent, writerOf(session, context, by)),
    }),
    'web.answer_dialog': async ({ answer, text, ...by }, context, { session, control }) => ({
      seq: await control.answerDialog(answer === 'accept', text, writerOf(session, context, by)),
    }),
    'web.links': async (_params, _context, { control }) => ({ links: await control.links() }),
    'web.find_text': async ({ text, ignore_case }, _context, { session }) => {
      const screen = await session.look()
      const shown = { grid: screen.frame().text, canonical: screen.canonical() }
      const places = findPlaces(shown, text, { ignoreCase: ignore_case ?? false })
      return { matches: places.map(({ middle: _middle, ...match }) => match) }
    },
    'web.paint': async (params, _context, target) =>
      paint(target, new ArtifactStore(home.sessionFolder(target.session.id), now), params),
    'web.state': async ({ max_wait_ms }, _context, { session, control }) => {
      await control.refreshState()
      const details = { scale: control.scale(), ...(await control.details(max_wait_ms)) }
      const page = session.screen.views.page?.()
      if (page === undefined) throw new Error('a session with a page shows one')
      return { session: session.id, ...page, ...details }
    },
  }
}

const PNG_WIDTH_AT = 16 // in the header chunk, which comes first
const PNG_HEIGHT_AT = 20

async function paint(
  { session, control }: Target<'page'>,
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
