import type { ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { cellAt } from '../grid/canonical-text.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Session } from '../session/session.ts'
import { WebSession } from '../session/web-session.ts'
import type { MouseAction, MouseCell } from '../terminal/mouse-encoding.ts'
import { actorOf, type Handlers, type RequestContext } from './dispatch.ts'

type InputOperation =
  | 'session.type'
  | 'session.keys'
  | 'session.paste'
  | 'session.mouse'
  | 'session.signal'
  | 'session.mark'
  | 'session.resize'

/** What acts on a Command Target. */
export function inputHandlers(sessions: Sessions): Pick<Handlers, InputOperation> {
  return {
    'session.type': async ({ session, text, enter, actor }, context) => {
      const target = await sessions.commandTarget(session)
      return { seq: await target.type(`${text}${enter ? '\n' : ''}`, actorOf(context, actor)) }
    },
    'session.keys': async ({ session, keys, actor }, context) => {
      const target = await sessions.commandTarget(session)
      return { seq: await target.press(keys, actorOf(context, actor)) }
    },
    'session.paste': async ({ session, text, actor }, context) =>
      (await sessions.commandTarget(session)).paste(text, actorOf(context, actor)),
    'session.mouse': async (params, context) =>
      useMouse(await sessions.commandTarget(params.session), params, context),
    'session.signal': async ({ session, signal, to, actor }, context) => {
      const target = await sessions.terminalTarget(session)
      return target.signal(`SIG${signal}`, to, actorOf(context, actor))
    },
    'session.mark': async ({ session, label, actor }, context) => {
      const target = await sessions.commandTarget(session)
      return { seq: target.mark(label, actorOf(context, actor)) }
    },
    'session.resize': async ({ session, cols, rows }) => {
      if (cols === undefined && rows === undefined)
        throw new OpError('usage', 'resize: give cols, rows or both')
      const target = await sessions.commandTarget(session)
      const size = { cols: cols ?? target.manifest.cols, rows: rows ?? target.manifest.rows }
      return { seq: await target.resize(size.cols, size.rows), ...size }
    },
  }
}

async function useMouse(
  target: Session,
  params: ParsedParams<'session.mouse'>,
  context: RequestContext,
): Promise<Result<'session.mouse'>> {
  const { to, actor } = params
  const at = params.at ?? (await findPlace(target, params))
  const { cols, rows } = target.manifest
  for (const cell of [at, to ?? at]) {
    if (cell.row < rows && cell.col < cols) continue
    throw new OpError('usage', `the cell ${cell.row},${cell.col} is outside the screen of ${cols}x${rows}`, {
      ...cell,
      cols,
      rows,
    })
  }
  const seq = await target.mouse(mouseAction(params, at), actorOf(context, actor))
  return { seq, ...at }
}

function mouseAction(
  { action, to, button, lines }: ParsedParams<'session.mouse'>,
  at: MouseCell,
): MouseAction {
  switch (action) {
    case 'drag':
      if (to === undefined) throw new OpError('usage', 'a drag needs `to`: the cell where it ends')
      return { action, at, to, button }
    case 'wheel':
      return { action, at, lines }
    case 'move':
      return { action, at }
    case 'click':
    case 'double_click':
      return { action, at, button }
    default:
      return action satisfies never
  }
}

async function findPlace(
  target: Session,
  { text, nth = 1 }: ParsedParams<'session.mouse'>,
): Promise<MouseCell> {
  if (text === undefined) throw new OpError('usage', 'say where: give `at` or `text`')
  const places =
    target instanceof WebSession ? await target.findText(text, false) : await onScreen(target, text)
  const place = places[nth - 1]
  if (place === undefined) {
    const many = places.length === 0 ? 'is not on the screen' : `is there ${places.length} times, not ${nth}`
    const message = `${JSON.stringify(text)} ${many}; the snapshot in the details shows what is`
    const details = { text, matches: places.length, snapshot: target.snapshot({}) }
    throw new OpError('text_not_found', message, details)
  }
  return { row: place.row, col: place.col }
}

/** The middles of the places where a terminal shows a text. */
async function onScreen(target: Session, text: string): Promise<MouseCell[]> {
  const screen = await target.look()
  const canonical = screen.canonical()
  const places: MouseCell[] = []
  for (let at = canonical.text.indexOf(text); at >= 0; at = canonical.text.indexOf(text, at + text.length))
    places.push(cellAt(screen.frame().text, canonical, at + Math.floor(text.length / 2)))
  return places
}
