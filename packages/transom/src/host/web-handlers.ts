import type { WEB_OPERATIONS } from '@transom/protocol'
import type { Sessions } from '../session/sessions.ts'
import { linkRows, safeText } from '../sources/web/page-words.ts'
import type { Handlers } from './dispatch.ts'
import { DEFAULT_ACTOR } from './input-handlers.ts'

/** What only a web page can be told, or asked. */
export function webHandlers(sessions: Sessions): Pick<Handlers, keyof typeof WEB_OPERATIONS> {
  return {
    'web.navigate': async ({ session, url, timeout_ms, actor = DEFAULT_ACTOR }, { signal }) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.navigate(url, actor, { timeoutMs: timeout_ms, signal }) }
    },
    'web.go_back': async ({ session, actor = DEFAULT_ACTOR }) =>
      (await sessions.webTarget(session)).step('go_back', actor),
    'web.go_forward': async ({ session, actor = DEFAULT_ACTOR }) =>
      (await sessions.webTarget(session)).step('go_forward', actor),
    'web.reload': async ({ session, actor = DEFAULT_ACTOR }) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.reload(actor) }
    },
    'web.set_zoom': async ({ session, percent, actor = DEFAULT_ACTOR }) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.setZoom(percent, actor) }
    },
    'web.answer_dialog': async ({ session, answer, text, actor = DEFAULT_ACTOR }) => {
      const target = await sessions.webTarget(session)
      return { seq: await target.answerDialog(answer === 'accept', text, actor) }
    },
    'web.links': async ({ session }) => {
      const target = await sessions.webTarget(session)
      return { links: linkRows(await target.links()) }
    },
    'web.find_text': async ({ session, text, ignore_case }) => {
      const target = await sessions.webTarget(session)
      return { matches: target.findText(text, ignore_case ?? false) }
    },
    'web.state': async ({ session }) => {
      const target = await sessions.webTarget(session)
      const { focus, ...details } = await target.details()
      const named = focus === null ? null : { ...focus, name: safeText(focus.name) }
      return { session: target.id, ...target.screen.page(), ...details, focus: named }
    },
  }
}
