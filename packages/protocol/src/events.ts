import { z } from 'zod'
import { COLS_MAX, ROWS_MAX, exitRecord, quotaPolicy, sessionKind, sessionStatus } from './session-info.ts'
import { SCROLLBACK_LINES_MAX } from './session-kinds.ts'
import { pageView } from './page-view.ts'

/**
 * The types of Event Log records and their numbers on disk. A number is never used again for something else;
 * a reader carries numbers it does not know through.
 */
export const EVENT_TYPE_NUMBERS = {
  /** First record of a log: what a replay needs to know before any byte. */
  created: 1,
  /** Bytes that the program wrote, exactly. */
  output: 2,
  /** Bytes sent to the program, and by whom. */
  input: 3,
  resize: 4,
  /** Bytes that the emulator answered to a terminal query. */
  answer: 5,
  exit: 6,
  status: 7,
  /** A synchronized update (mode 2026) was left open for too long and is shown as it stands. */
  sync_release: 8,
  /** A named place in the history. */
  mark: 9,
  signal: 10,
  /** The shell began to run a command: from here on what it prints is the block's output. */
  block_begin: 11,
  block_end: 12,
  /** The shell is ready for a command. */
  prompt: 13,
  /** How large the log may grow was changed. */
  quota: 14,
  /** Who may write to the session has changed, or was asked to change. */
  lease: 15,
  /** Cells of a web page that have changed, or all of them: kinds/web/cell-runs.ts says how they are written. */
  web_frame: 20,
  /** The address of a web page, whether it loads, and its history. */
  web_navigation: 21,
  web_title: 22,
  /** What is about to be done to a web page, and by whom. */
  web_input: 23,
  web_dialog: 24,
  /** A web page hung, crashed or could not be loaded, and what was done about it. */
  web_trouble: 25,
} as const
export type EventType = keyof typeof EVENT_TYPE_NUMBERS

/** Left out by what no request asked for, and in logs from before it was recorded. */
const anyActor = {
  actor: z.string().optional(),
  actor_label: z.string().optional(),
  actor_via: z.string().optional(),
}

/** A log is external input: a replay allocates this many cells. */
const screenSize = { cols: z.int().min(1).max(COLS_MAX), rows: z.int().min(1).max(ROWS_MAX) }

export const createdEvent = z.object({
  ...anyActor,
  session: z.string(),
  command: z.array(z.string()),
  cwd: z.string(),
  ...screenSize,
  kind: sessionKind.default('terminal'),
  url: z.string().optional().describe('The page that a web session begins with.'),
  scrollback: z
    .int()
    .min(0)
    .max(SCROLLBACK_LINES_MAX)
    .optional()
    .describe('Lines kept above the screen of a terminal, if not as many as usual.'),
  engine: z.string().optional().describe('What made the screen of the bytes when the session was live.'),
})
export type CreatedEvent = z.infer<typeof createdEvent>

/**
 * Who acted. The actor is derived from the principal of the request, the label is what the caller called itself. `via`
 * names the local process that vouches for an actor which the kernel does not know: a token, or a process that a host
 * passes a request on for.
 */
const actorFields = { ...anyActor, actor: z.string() }
export interface Actor {
  readonly actor: string
  readonly actor_label?: string
  readonly actor_via?: string
}

export const inputEvent = z.object({
  ...actorFields,
  via: z.enum(['type', 'keys', 'paste', 'mouse', 'send', 'block']),
  length: z.int().describe('Bytes sent.'),
  data_b64: z
    .string()
    .nullable()
    .describe('The bytes; null when the program had turned echo off, as for a password.'),
})

export const resizeEvent = z.object({ ...anyActor, ...screenSize })
export const statusEvent = z.object({
  ...anyActor,
  status: sessionStatus,
  reason: z.string().optional(),
})
export const syncReleaseEvent = z.object({})
export const markEvent = z.object({ ...actorFields, label: z.string() })
export const quotaEvent = z.object({ ...actorFields, bytes: z.int(), policy: quotaPolicy })
/** Whether a lease is held by a person or by a program that acts for one. */
export const leaseRole = z.enum(['person', 'agent'])
export type LeaseRole = z.infer<typeof leaseRole>

export const leaseEvent = z.object({
  ...anyActor,
  change: z.enum(['taken', 'taken_over', 'given', 'expired', 'requested']),
  epoch: z.int().describe('Counts the changes of hands: an input admitted in another epoch is not applied.'),
  role: leaseRole.optional().describe('Of the new holder.'),
  note: z.string().optional(),
  dropped_bytes: z
    .int()
    .optional()
    .describe('Input of the epoch before that the program had not read: it was not sent.'),
})
export const signalEvent = z.object({
  ...actorFields,
  signal: z.string(),
  to: z.enum(['foreground', 'leader']),
})

/** How a block came to be: asked for, asked for as an interactive session, or typed at the prompt. */
export const blockKind = z.enum(['block', 'interactive', 'typed'])
export type BlockKind = z.infer<typeof blockKind>

/** What ended a block: the shell was back, the shell itself ended, or the block's end was never seen. */
export const blockEndedBy = z.enum(['shell', 'exit', 'unknown'])

/** A folder's name is bytes; when they are not UTF-8, `cwd_b64` has them. */
const folder = { cwd: z.string().nullable(), cwd_b64: z.string().optional() }

export const blockBeginEvent = z.object({
  block: z.string().describe('The id of the block.'),
  ordinal: z.int().describe('Counts the blocks of a session, or of a conversation, from 1.'),
  kind: blockKind,
  command: z.string().nullable().describe('The text; null where the shell did not tell it.'),
  ...actorFields,
  actor: z.string().nullable().describe('Who asked for it; null for a typed one.'),
  shown: z
    .string()
    .optional()
    .describe('What a terminal is to show of it, in place of the line that had the shell run it.'),
  ...folder,
})
export const blockEndEvent = z.object({
  block: z.string(),
  ordinal: z.int(),
  exit_code: z.int().nullable().describe('Null when the shell did not live to tell it.'),
  ended_by: blockEndedBy,
  ...folder,
})
export const promptEvent = z.object({
  exit_code: z.int().nullable().describe('Of the last command, as the shell has it.'),
  taken: z.literal(true).optional().describe('A block had been waiting for it, and gets it.'),
  ...folder,
})

const { url, loading, can_go_back, can_go_forward, title, dialog } = pageView.shape

export const webNavigationEvent = z.object({ url, loading, can_go_back, can_go_forward })
export const webTitleEvent = z.object({ title })
export const webDialogEvent = z.object({ dialog })
export const webTroubleEvent = z.object({ code: z.string(), message: z.string() })

const webCell = z.object({ row: z.int(), col: z.int() })

export const webInputEvent = z.object({
  ...actorFields,
  via: z.enum([
    'type',
    'keys',
    'paste',
    'mouse',
    'navigate',
    'go_back',
    'go_forward',
    'reload',
    'set_zoom',
    'answer_dialog',
  ]),
  length: z.int().optional().describe('Of the text or the list of keys.'),
  text: z.string().nullable().optional().describe('What was typed; null for a password.'),
  keys: z.array(z.string()).nullable().optional().describe('By name; null for a password.'),
  action: z.string().optional().describe('What the mouse does.'),
  at: webCell.optional(),
  to: webCell.optional(),
  button: z.string().optional(),
  clicks: z.int().optional(),
  modifiers: z.array(z.string()).optional().describe('Keys held down meanwhile.'),
  lines: z.int().optional().describe('Rows down; up when negative.'),
  url: z.string().optional(),
  percent: z.number().optional(),
  accept: z.boolean().optional(),
})

/** A record as clients see it: byte payloads as base64, the others as their fields. */
export const eventRecord = z.object({
  seq: z.int(),
  time: z.number().describe('Milliseconds since 1970, with fractions.'),
  type: z.string(),
  data_b64: z.string().optional(),
  fields: z.record(z.string(), z.unknown()).optional(),
})
export type EventRecord = z.infer<typeof eventRecord>

/** JSON payloads by event type; `output`, `answer` and `web_frame` are bytes. */
export const EVENT_PAYLOADS = {
  created: createdEvent,
  input: inputEvent,
  resize: resizeEvent,
  exit: exitRecord,
  status: statusEvent,
  sync_release: syncReleaseEvent,
  mark: markEvent,
  signal: signalEvent,
  quota: quotaEvent,
  lease: leaseEvent,
  block_begin: blockBeginEvent,
  block_end: blockEndEvent,
  prompt: promptEvent,
  web_navigation: webNavigationEvent,
  web_title: webTitleEvent,
  web_input: webInputEvent,
  web_dialog: webDialogEvent,
  web_trouble: webTroubleEvent,
} as const
export type FactType = keyof typeof EVENT_PAYLOADS
export type Fact<T extends FactType> = z.input<(typeof EVENT_PAYLOADS)[T]>
