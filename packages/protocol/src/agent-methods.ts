import { z } from 'zod'

/**
 * The methods of the agent socket (`--agent-socket`), by the names, params and result shapes of the AWI-TTY
 * specification. Params are checked strictly: an unknown key is a slip, and is answered with −32602.
 */
export const COLS_WEB_DEFAULT = 140
export const ROWS_WEB_DEFAULT = 45
export const WEB_COLS_MIN = 10
export const WEB_COLS_MAX = 500
export const WEB_ROWS_MIN = 3
export const WEB_ROWS_MAX = 300

const durationMs = z
  .int()
  .min(0)
  .max(24 * 60 * 60 * 1000)
const point = { row: z.int().min(0), col: z.int().min(0) }
const modifiers = z
  .strictObject({
    alt: z.boolean().optional(),
    meta: z.boolean().optional(),
    shift: z.boolean().optional(),
    ctrl: z.boolean().optional(),
  })
  .optional()
const button = z.enum(['left', 'middle', 'right']).optional()
const mouse = z.strictObject({ ...point, button, modifiers })

/** `ansi` has the colours as SGR sequences, one string per line as in `text`; `png` is a picture of the cells. */
export const agentSnapshotFormat = z.enum(['text', 'ansi', 'png'])

export const AGENT_METHODS = {
  navigate: z.strictObject({ url: z.string().min(1), timeout_ms: durationMs.optional() }),
  go_back: z.strictObject({}),
  go_forward: z.strictObject({}),
  reload: z.strictObject({}),
  send_key: z.strictObject({ key: z.string(), char: z.string().optional(), modifiers }),
  type_text: z.strictObject({ text: z.string() }),
  paste: z.strictObject({ text: z.string() }),
  scroll: z.strictObject({
    delta: z.int().describe('Rows down; up when negative.'),
    row: z.int().min(0).optional(),
    col: z.int().min(0).optional(),
  }),
  click: z.strictObject({ ...point, button, clicks: z.int().min(1).max(3).optional(), modifiers }),
  mouse_move: mouse,
  mouse_down: mouse,
  mouse_up: mouse,
  drag: z.strictObject({ from: z.strictObject(point), to: z.strictObject(point), button, modifiers }),
  snapshot: z.strictObject({
    format: agentSnapshotFormat.optional(),
    include_meta: z.boolean().optional(),
    trim: z.boolean().optional().describe('Lines without trailing blanks.'),
    since: z.int().optional().describe('Only the lines that have changed since the snapshot with this seq.'),
  }),
  screenshot: z.strictObject({ full_page: z.boolean().optional() }),
  get_title: z.strictObject({}),
  get_url: z.strictObject({}),
  get_nav_state: z.strictObject({}),
  set_viewport: z.strictObject({ cols: z.int(), rows: z.int() }),
  set_zoom: z.strictObject({ percent: z.number() }),
  get_capabilities: z.strictObject({}),
  ping: z.strictObject({}),
  find_text: z.strictObject({ text: z.string().min(1), ignore_case: z.boolean().optional() }),
  click_text: z.strictObject({
    text: z.string().min(1),
    nth: z.int().min(1).optional().describe('Which of several, from 1 at the top left.'),
    ignore_case: z.boolean().optional(),
  }),
  links: z.strictObject({}),
  get_dialog: z.strictObject({}),
  answer_dialog: z.strictObject({ accept: z.boolean(), text: z.string().optional() }),
  wait_for: z.strictObject({
    text: z.string().min(1).optional(),
    url: z.string().min(1).optional().describe('Part of the address.'),
    idle: durationMs.optional().describe('No cell has changed for this many milliseconds.'),
    network_idle: durationMs.optional().describe('No request has been open for this many milliseconds.'),
    timeout_ms: durationMs.optional(),
  }),
  wait_for_frame_quiescence: z.strictObject({ idle_ms: durationMs, timeout_ms: durationMs.optional() }),
  wait_for_title_contains: z.strictObject({ substring: z.string(), timeout_ms: durationMs.optional() }),
  subscribe_events: z.strictObject({}),
} as const

export type AgentMethod = keyof typeof AGENT_METHODS
export type AgentParams<M extends AgentMethod> = z.infer<(typeof AGENT_METHODS)[M]>
