import type { Terminal } from '@xterm/headless'
import type { KittyKeyboard } from './kitty-keyboard.ts'
import * as answers from './query-answers.ts'

/** What the answers depend on, and what the sequences beside them change. */
export interface QueryContext {
  answer(text: string): void
  /** From 0. */
  cursor(): { row: number; col: number }
  altScreen(): boolean
  readonly keyboard: KittyKeyboard
  modifyOtherKeys(): number
  setModifyOtherKeys(level: number): void
  /** RIS or DECSTR. */
  reset(): void
  /** DECSET or DECRST of a mode, before xterm acts on it. */
  privateMode(mode: number, on: boolean): void
}

type Params = (number | number[])[]

/**
 * Answers the queries that xterm leaves open or answers too modestly. It answers DSR, CPR, DECRQM and DECRQSS
 * itself; those reach the same list through its onData.
 */
export function answerQueries(terminal: Terminal, context: QueryContext): void {
  answerAttributes(terminal, context)
  answerColors(terminal, context)
  followKeyboardModes(terminal, context)
  followPrivateModes(terminal, context)
  boundRepeats(terminal)
}

/** REP of two thousand million characters would take as much memory; more than a screenful shows nothing more. */
function boundRepeats(terminal: Terminal): void {
  terminal.parser.registerCsiHandler(
    { final: 'b' },
    (params) => number(params, 0) > terminal.cols * terminal.rows,
  )
}

function answerAttributes(terminal: Terminal, context: QueryContext): void {
  const { parser } = terminal
  const fixed = (text: string) => (params: Params) => {
    if (number(params, 0) === 0) context.answer(text)
    return true
  }
  parser.registerCsiHandler({ final: 'c' }, fixed(answers.primaryAttributes))
  parser.registerCsiHandler({ prefix: '>', final: 'c' }, fixed(answers.secondaryAttributes))
  parser.registerCsiHandler({ prefix: '=', final: 'c' }, fixed(answers.tertiaryAttributes))
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, fixed(answers.terminalVersion))
  parser.registerCsiHandler({ prefix: '?', final: 'n' }, (params) => {
    if (number(params, 0) !== 6) return false
    const { row, col } = context.cursor()
    context.answer(answers.extendedCursorPosition(row + 1, col + 1))
    return true
  })
  parser.registerCsiHandler({ final: 't' }, (params) => {
    const report = answers.windowReport(number(params, 0), terminal.cols, terminal.rows)
    if (report === null) return false
    context.answer(report)
    return true
  })
  parser.registerDcsHandler({ intermediates: '+', final: 'q' }, (data) => {
    context.answer(answers.capabilityAnswers(data))
    return true
  })
}

function answerColors(terminal: Terminal, context: QueryContext): void {
  const answerIf = (answer: (data: string) => string | null) => (data: string) => {
    const text = answer(data)
    if (text === null) return false // a colour is set, not asked for
    context.answer(text)
    return true
  }
  terminal.parser.registerOscHandler(4, answerIf(answers.paletteAnswer))
  for (const first of [10, 11, 12]) {
    terminal.parser.registerOscHandler(
      first,
      answerIf((data) => answers.dynamicColorAnswer(first, data)),
    )
  }
}

function followKeyboardModes(terminal: Terminal, context: QueryContext): void {
  const { parser } = terminal
  const { keyboard } = context
  const follow = (prefix: string, handle: (params: Params) => void) =>
    parser.registerCsiHandler({ prefix, final: 'u' }, (params) => {
      handle(params)
      return true
    })
  follow('?', () => context.answer(answers.kittyFlags(keyboard.flags(context.altScreen()))))
  follow('>', (params) => keyboard.push(context.altScreen(), number(params, 0)))
  follow('<', (params) => keyboard.pop(context.altScreen(), number(params, 0) || 1))
  follow('=', (params) => keyboard.set(context.altScreen(), number(params, 0), number(params, 1) || 1))
  parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => {
    if (number(params, 0) === 4) context.setModifyOtherKeys(number(params, 1))
    return true
  })
  parser.registerCsiHandler({ prefix: '?', final: 'm' }, (params) => {
    if (number(params, 0) === 4) context.answer(answers.modifyOtherKeys(context.modifyOtherKeys()))
    return true
  })
}

function followPrivateModes(terminal: Terminal, context: QueryContext): void {
  const follow = (on: boolean) => (params: Params) => {
    for (let index = 0; index < params.length; index++) context.privateMode(number(params, index), on)
    return false // xterm does the rest
  }
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, follow(true))
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, follow(false))
  const reset = () => {
    context.reset()
    return false
  }
  terminal.parser.registerEscHandler({ final: 'c' }, reset)
  terminal.parser.registerCsiHandler({ intermediates: '!', final: 'p' }, reset)
}

function number(params: Params, index: number): number {
  const value = params[index]
  return typeof value === 'number' ? value : (value?.[0] ?? 0)
}
