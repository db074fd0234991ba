import { z } from 'zod'
import { pageView } from './page-view.ts'
import { untrusted } from './untrusted.ts'

const color = z
  .union([z.int().min(0).max(255), z.string().regex(/^#[0-9a-f]{6}$/)])
  .describe('A palette index 0–255, or #rrggbb.')

/** A run of neighbouring cells in one style. Absent keys mean the default. */
export const styledRun = z.object({
  col: z.int(),
  width: z.int().describe('Cells covered; a wide character covers two.'),
  text: z.string(),
  fg: color.optional(),
  bg: color.optional(),
  bold: z.literal(true).optional(),
  dim: z.literal(true).optional(),
  italic: z.literal(true).optional(),
  underline: z.enum(['single', 'double', 'curly', 'dotted', 'dashed']).optional(),
  underline_color: color.optional(),
  blink: z.literal(true).optional(),
  inverse: z.literal(true).optional(),
  invisible: z.literal(true).optional(),
  strikethrough: z.literal(true).optional(),
  overline: z.literal(true).optional(),
  link: z.string().optional().describe('Target of an OSC 8 hyperlink.'),
})
export type StyledRun = z.infer<typeof styledRun>

export const screenLine = z.object({
  text: z.string().describe('Without trailing blanks unless `full_width` is set.'),
  wrapped: z.boolean().describe('True when this line goes on from the one above without a line break.'),
  cells: z.array(styledRun).optional(),
  omitted: z.literal(true).optional().describe('The line did not fit into `max_chars`.'),
})
export type ScreenLine = z.infer<typeof screenLine>

export const cursorState = z.object({
  row: z.int().describe('From 0.'),
  col: z.int().describe('From 0.'),
  visible: z.boolean(),
  shape: z.enum(['block', 'underline', 'bar']),
  blink: z.boolean(),
})
export type CursorState = z.infer<typeof cursorState>

export const terminalModes = z.object({
  alt_screen: z.boolean(),
  application_cursor: z.boolean().describe('DECCKM'),
  application_keypad: z.boolean().describe('DECKPAM'),
  bracketed_paste: z.boolean(),
  focus_events: z.boolean(),
  mouse: z.enum(['none', 'x10', 'normal', 'button', 'any']),
  mouse_encoding: z.enum(['default', 'sgr', 'sgr_pixels']),
  kitty_keyboard: z
    .int()
    .describe("Flags of the kitty keyboard protocol, 0 when the program didn't ask for it."),
  modify_other_keys: z.int(),
  autowrap: z.boolean(),
  origin: z.boolean(),
  insert: z.boolean(),
  newline: z.boolean().describe('LNM: Enter sends CR LF.'),
  backarrow_sends_backspace: z.boolean().describe('DECBKM: Backspace sends ^H.'),
})
export type TerminalModes = z.infer<typeof terminalModes>

/** Text that stands out on a terminal: the chosen item of a menu, a button, a status line. */
export const highlight = z.object({
  row: z.int().describe('From 0.'),
  col: z.int().describe('From 0.'),
  text: z.string(),
})
export type Highlight = z.infer<typeof highlight>

/** A Snapshot Result: what a Session showed at one seq of its Event Log. */
export const snapshot = z.object({
  session: z.string(),
  seq: z.int().describe('The Event Log record up to which the screen was built.'),
  cols: z.int(),
  rows: z.int(),
  cursor: cursorState,
  title: untrusted(z.string()),
  bells: z.int().describe('How often the program has rung the bell.'),
  modes: terminalModes.optional().describe('Of a terminal.'),
  page: pageView.optional().describe('Of a web page.'),
  lines: untrusted(z.array(screenLine)),
  highlighted: untrusted(z.array(highlight).optional()).describe(
    'Text of a terminal in reverse video, or on a background of its own; absent if nothing or nearly all is.',
  ),
  scrollback: untrusted(z.array(screenLine).optional()).describe('Oldest first; only when asked for.'),
  scrollback_truncated: z.boolean().optional().describe('True when older lines have been dropped.'),
  screen_hash: z.string().describe('Digest of the visible text: changes exactly when that text changes.'),
})
export type Snapshot = z.infer<typeof snapshot>
