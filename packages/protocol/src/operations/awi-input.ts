/** The input methods of the agent socket, as operations that act on every session. */
import { z } from 'zod'
import { awiMethod, type AwiMethod } from '../awi.ts'
import { OpError } from '../errors.ts'
import { checkViewport } from '../web-viewport.ts'

const row = z.int().min(0).describe('The row, from 0.')
const col = z.int().min(0).describe('The column, from 0.')
const cell = z.strictObject({ row, col })
const modifiers = z
  .strictObject({
    alt: held('Alt'),
    meta: held('Meta'),
    shift: held('Shift'),
    ctrl: held('Ctrl'),
  })
  .optional()
const button = z.enum(['left', 'middle', 'right']).optional().describe('Which button: left, middle or right.')

type Modifiers = z.infer<typeof modifiers>

export const SEND_KEY: AwiMethod = awiMethod({
  method: 'send_key',
  summary: 'Press a key.',
  params: z.object({
    key: z
      .string()
      .describe('Tab, Enter, Up, Down, Left, Right, Space, Char:X, or any other key by its name.')
      .meta({ placeholder: 'KEY' }),
    char: z.string().optional().meta({ hidden: true }),
    modifiers,
  }),
  cli: [{ positionals: ['key'], examples: ['awi-tty send-key Tab', 'awi-tty send-key Char:a --ctrl'] }],
  toParams: ({ key, char = '', modifiers: with_ }) => {
    const name = key === 'Char' ? char : key
    if (name === '') {
      const message = key === 'Char' ? 'the key "Char" needs its character in "char"' : 'the key has no name'
      throw new OpError('invalid_key', message, { key })
    }
    const { ctrl, alt, shift, meta } = with_ ?? {}
    const chord = [ctrl && 'Ctrl+', alt && 'Alt+', shift && 'Shift+', meta && 'Super+', name]
    return { keys: [chord.filter(Boolean).join('')] }
  },
  toError: (error) =>
    error.code === 'unknown_key'
      ? new OpError('invalid_key', error.message, error.details, { cause: error })
      : error,
})

export const TYPE_TEXT: AwiMethod = awiMethod({
  method: 'type_text',
  summary: 'Type a text, key by key.',
  params: z.object({ text: z.string().describe('What to type.') }),
  cli: [{ positionals: ['text'], examples: ["awi-tty type-text 'carbonyl browser'"] }],
  toParams: ({ text }) => ({ text }),
})

export const PASTE: AwiMethod = awiMethod({
  method: 'paste',
  summary: 'Insert a text in one piece.',
  params: z.object({ text: z.string().describe('What to insert.') }),
  cli: [{ positionals: ['text'], examples: ["awi-tty paste 'some text'"] }],
  toParams: ({ text }) => ({ text }),
})

export const SET_VIEWPORT: AwiMethod = awiMethod({
  method: 'set_viewport',
  summary: 'Set the size of the screen in cells.',
  params: z.object({ cols: z.int().describe('Columns.'), rows: z.int().describe('Rows.') }),
  cli: [{ positionals: ['cols', 'rows'], examples: ['awi-tty set-viewport 140 45'] }],
  toParams: ({ cols, rows }) => {
    checkViewport(cols, rows) // before the general limits of a session, which have another error
    return { cols, rows }
  },
})

const mouse = z.object({ row, col, button, modifiers })

export const MOUSE_METHODS: readonly AwiMethod[] = [
  awiMethod({
    method: 'scroll',
    summary: 'Scroll by rows: down, or up when negative.',
    params: z.object({
      delta: z.int().describe('How many rows.'),
      row: row.optional().meta({ hidden: true }),
      col: col.optional().meta({ hidden: true }),
    }),
    cli: [{ positionals: ['delta'], examples: ['awi-tty scroll 5', 'awi-tty scroll -5'] }],
    toParams: ({ delta, row: y, col: x }) => ({
      action: 'wheel',
      lines: delta,
      ...(y === undefined || x === undefined ? {} : { at: { row: y, col: x } }),
    }),
  }),
  awiMethod({
    method: 'click',
    summary: 'Click at a cell.',
    params: mouse.extend({
      clicks: z.int().min(1).max(3).optional().describe('2 for a double click.').meta({ placeholder: 'N' }),
    }),
    cli: [{ positionals: ['row', 'col'], examples: ['awi-tty click 3 10'] }],
    toParams: ({ clicks, ...at }) => ({ action: 'click', clicks, ...mouseAt(at) }),
  }),
  pointerMethod('mouse_move', 'move', 'Move the mouse to a cell.'),
  pointerMethod('mouse_down', 'down', 'Press a mouse button at a cell.'),
  pointerMethod('mouse_up', 'up', 'Let a mouse button go at a cell.'),
  awiMethod({
    method: 'drag',
    summary: 'Drag with the mouse from one cell to another.',
    params: z.object({ from: cell, to: cell, button, modifiers }),
    cli: [
      { positionals: ['from.row', 'from.col', 'to.row', 'to.col'], examples: ['awi-tty drag 3 10 3 40'] },
    ],
    toParams: ({ from, to, button: which, modifiers: with_ }) => ({
      action: 'drag',
      to,
      ...mouseAt({ ...from, button: which, modifiers: with_ }),
    }),
  }),
  awiMethod({
    method: 'click_text',
    summary: 'Click at a text.',
    params: z.object({
      text: z.string().min(1).describe('The text, as it is shown.'),
      nth: z
        .int()
        .min(1)
        .optional()
        .describe('Which of several, from 1 at the top left.')
        .meta({ placeholder: 'N' }),
      ignore_case: z.boolean().optional().describe('Capital and small letters are the same.'),
    }),
    cli: [{ positionals: ['text'], examples: ["awi-tty click-text 'Next page'"] }],
    toParams: ({ text, ...which }) => ({ action: 'click', text: text.trim() || text, ...which }),
    toResult: ({ row: y, col: x }: { row: number; col: number }) => ({ ok: true, row: y, col: x }),
  }),
]

function pointerMethod(method: string, action: 'move' | 'down' | 'up', summary: string): AwiMethod {
  return awiMethod({
    method,
    summary,
    params: mouse,
    cli: [{ positionals: ['row', 'col'], examples: [`awi-tty ${method.replaceAll('_', '-')} 3 10`] }],
    toParams: (at) => ({ action, ...mouseAt(at) }),
  })
}

function mouseAt({ row: y, col: x, button: which, modifiers: with_ }: z.infer<typeof mouse>): object {
  return { at: { row: y, col: x }, button: which, modifiers: heldKeys(with_) }
}

function heldKeys(with_: Modifiers): string[] | undefined {
  return with_ && Object.entries(with_).flatMap(([key, isHeld]) => (isHeld ? [key] : []))
}

function held(key: string) {
  return z.boolean().optional().describe(`With ${key} held down.`).meta({ flag: key.toLowerCase() })
}
