import type { ParsedParams, Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { findPlaces } from '@transom/grid'
import { takeSnapshot } from '../session/snapshot.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Session } from '../session/session.ts'
import type { MouseAction, MouseCell } from '../terminal/mouse-encoding.ts'
import { actorOf, writerOf, type Handlers, type RequestContext } from './dispatch.ts'

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
    'session.type': async ({ session, text, secret = false, enter, ...by }, context) => {
      const target = await sessions.commandTarget(session)
      const act = { act: 'type', text: `${text}${enter ? '\n' : ''}`, secret } as const
      return { seq: (await target.act(act, writerOf(target, context, by))).seq }
    },
    'session.keys': async ({ session, keys, ...by }, context) => {
      const target = await sessions.commandTarget(session)
      return { seq: (await target.act({ act: 'keys', keys }, writerOf(target, context, by))).seq }
    },
    'session.paste': async ({ session, text, ...by }, context) => {
      const target = await sessions.commandTarget(session)
      const writer = writerOf(target, context, by)
      const { seq, bracketed = false } = await target.act({ act: 'paste', text }, writer)
      return { seq, bracketed }
    },
    'session.mouse': async (params, context) =>
      useMouse(await sessions.commandTarget(params.session), params, context),
    'session.signal': async ({ signal, to, ...by }, context, { session, control }) =>
      control.signal(`SIG${signal}`, to, writerOf(session, context, by)),
    'session.mark': async ({ session, label, actor }, context) => {
      const target = await sessions.commandTarget(session)
      return { seq: target.mark(label, actorOf(context, actor)) }
    },
    'session.resize': async ({ session, cols, rows, lease }, context) => {
      if (cols === undefined && rows === undefined) throw new OpError('usage', 'give `cols`, `rows` or both')
      const target = await sessions.commandTarget(session)
      const size = { cols: cols ?? target.manifest.cols, rows: rows ?? target.manifest.rows }
      const { seq } = await target.act({ act: 'resize', ...size }, writerOf(target, context, { lease }))
      return { seq, ...size }
    },
  }
}

async function useMouse(
  target: Session,
  params: ParsedParams<'session.mouse'>,
  context: RequestContext,
): Promise<Result<'session.mouse'>> {
  const { to, action, text } = params
  const writer = writerOf(target, context, params) // before what takes time
  const { cols, rows } = target.manifest
  const middle = action === 'wheel' && text === undefined ? { row: rows >> 1, col: cols >> 1 } : undefined
  const at = params.at ?? middle ?? (await findPlace(target, params))
  for (const cell of [at, to ?? at]) {
    if (cell.row < rows && cell.col < cols) continue
    throw new OpError('usage', `the cell ${cell.row},${cell.col} is outside the screen of ${cols}x${rows}`, {
      ...cell,
      cols,
      rows,
    })
  }
  const { seq } = await target.act({ act: 'mouse', mouse: mouseAction(params, at) }, writer)
  return { seq, ...at }
}

function mouseAction(
  { action, to, button, lines, clicks, modifiers }: ParsedParams<'session.mouse'>,
  at: MouseCell,
): MouseAction {
  const common = { at, ...(modifiers === undefined ? {} : { modifiers }) }
  const count = action === 'double_click' ? 2 : clicks
  switch (action) {
    case 'drag':
      if (to === undefined) throw new OpError('usage', 'a drag needs `to`: the cell where it ends')
      return { action, ...common, to, button }
    case 'wheel':
      return { action, ...common, lines }
    case 'move':
      return { action, ...common }
    case 'click':
    case 'double_click':
      return { action: 'click', ...common, button, ...(count === 1 ? {} : { clicks: count }) }
    case 'down':
    case 'up':
      return { action, ...common, button }
    default:
      return action satisfies never
  }
}

async function findPlace(
  target: Session,
  { text, nth = 1, ignore_case: ignoreCase = false }: ParsedParams<'session.mouse'>,
): Promise<MouseCell> {
  if (text === undefined) throw new OpError('usage', 'say where: give `at` or `text`')
  const screen = await target.look()
  const shown = { grid: screen.frame().text, canonical: screen.canonical() }
  const places = findPlaces(shown, text, { ignoreCase })
  const place = places[nth - 1]
  if (place === undefined) {
    const many = places.length === 0 ? 'is not on the screen' : `is there ${places.length} times, not ${nth}`
    const message = `${JSON.stringify(text)} ${many}; the snapshot in the details shows what is`
    const details = { text, matches: places.length, snapshot: takeSnapshot(target.id, screen) }
    throw new OpError('text_not_found', message, details)
  }
  return place.middle
}
