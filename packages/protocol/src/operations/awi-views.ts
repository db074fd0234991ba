/** The methods of the agent socket that look at a page or wait for it. */
import { z } from 'zod'
import { AWI_OK, awiDurationMs, awiMethod, awiTimeoutMs, type AwiAsk, type AwiMethod } from '../awi.ts'
import { OpError } from '../errors.ts'
import type { PageView } from '../page-view.ts'
import type { ScreenLine, Snapshot, StyledRun } from '../snapshot.ts'
import type { WaitResult } from '../wait.ts'

const CELL_WIDTH_PX = 8
const CELL_HEIGHT_PX = 16
/** How long a snapshot waits for what only the page knows; past this it has what was known last. */
const META_WAIT_MS = 250

/** The state of a page, as far as `meta` shows it: a part of the result of `web.state`. */
interface ShownState extends PageView {
  readonly scale: number
  readonly scroll: object
  readonly focus: { readonly cell: Cell | null } | null
  readonly caret: Cell | null
}

interface Cell {
  readonly row: number
  readonly col: number
}

interface Look {
  readonly cols: number
  readonly rows: number
  readonly seq: number
}

const snapshotParams = z.object({
  format: z
    .enum(['text', 'ansi', 'png'])
    .optional()
    .describe('text, ansi with colours, or png: a picture of the cells.')
    .meta({ placeholder: 'text|ansi|png' }),
  include_meta: z.boolean().optional().describe('With cursor, address, title, scale and history.'),
  trim: z.boolean().optional().meta({ hidden: true }),
  since: z
    .int()
    .optional()
    .describe('Only the lines that have changed since the snapshot with this seq.')
    .meta({ placeholder: 'SEQ' }),
})

export const SNAPSHOT: AwiMethod = awiMethod({
  method: 'snapshot',
  summary: 'Print what the page shows.',
  features: ['snapshot:text', 'snapshot:ansi', 'snapshot:png', 'snapshot:since'],
  params: snapshotParams,
  cli: [
    {
      examples: ['awi-tty snapshot --plain', 'awi-tty snapshot --format text --include-meta'],
      plain: 'lines',
      local: z.object({
        trim: z.boolean().optional().describe('Without blanks at the ends of lines.'),
        out: z
          .string()
          .optional()
          .describe('Write it to this file and print nothing.')
          .meta({ placeholder: 'FILE' }),
      }),
    },
  ],
  serve: async ({ include_meta, ...asked }, ask) => {
    const shown = await look(asked, ask)
    return include_meta ? { ...shown, meta: await readMeta(ask) } : shown
  },
})

async function look(
  { format = 'text', trim = false, since }: Omit<z.infer<typeof snapshotParams>, 'include_meta'>,
  ask: AwiAsk,
): Promise<object> {
  if (format === 'png') {
    const params = { format, inline: true, no_cursor: true, padding: 0 }
    const drawn = (await ask.other('session.screenshot', params)) as Look & { png_b64: string }
    return { ...sized(drawn), png_b64: drawn.png_b64 }
  }
  if (format === 'ansi') {
    const coloured = (await ask.own({ cells: true })) as Snapshot
    return { ...sized(coloured), lines: coloured.lines.map(ansiLine) }
  }
  const changed = since === undefined ? null : await readChanges(since, ask)
  if (changed !== null) return changed
  const shown = (await ask.own({ full_width: !trim })) as Snapshot
  return { ...sized(shown), lines: shown.lines.map(({ text }) => text) }
}

/** Null if the lines of now and then cannot be compared. */
async function readChanges(since: number, ask: AwiAsk): Promise<object | null> {
  try {
    const diff = (await ask.other('session.diff', { since: String(since) })) as Look & {
      resized: boolean
      changed: { row: number; line: ScreenLine }[]
    }
    if (diff.resized) return null
    const changed = diff.changed.map(({ row, line }) => ({ row, text: line.text }))
    return { ...sized(diff), since, changed }
  } catch (error) {
    if (error instanceof OpError && (error.code === 'moment_not_found' || error.code === 'usage')) return null
    throw error
  }
}

function sized({ cols, rows, seq }: Look): object {
  return { width: cols, height: rows, seq }
}

async function readMeta(ask: AwiAsk): Promise<object> {
  const state = (await ask.other('web.state', { max_wait_ms: META_WAIT_MS })) as ShownState
  const { scale, caret, focus, can_go_back, can_go_forward } = state
  const cursor = caret ?? focus?.cell ?? { row: 0, col: 0 }
  return {
    cursor: { x: cursor.col, y: cursor.row },
    url: state.url,
    title: state.title,
    dpi: scale,
    scale: { width: CELL_WIDTH_PX / scale, height: CELL_HEIGHT_PX / scale },
    nav: { can_go_back, can_go_forward },
    loading: state.loading,
    scroll: state.scroll,
    focus,
    caret,
    dialog: state.dialog,
  }
}

/** A row with its colours as SGR sequences, graphics included. It stands for itself. */
function ansiLine({ cells = [] }: ScreenLine): string {
  return `${cells.map((run) => `\u001b[${sgr(run)}m${run.text}`).join('')}\u001b[0m`
}

function sgr({ fg, bg }: StyledRun): string {
  return `${colour(fg, 38)};${colour(bg, 48)}`
}

/** A page has no palette: its colours are `#rrggbb`, and missing before anything is painted. */
function colour(value: StyledRun['fg'], code: 38 | 48): string {
  if (typeof value !== 'string') return String(code + 1) // the default
  const channels = [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16))
  return [code, 2, ...channels].join(';')
}

const waitForParams = z.object({
  text: z.string().min(1).optional().describe('A text that is shown.').meta({ placeholder: 'TEXT' }),
  url: z.string().min(1).optional().describe('A part of the address.').meta({ placeholder: 'URL' }),
  idle: awiDurationMs
    .optional()
    .describe('No cell has changed for so many milliseconds.')
    .meta({ placeholder: 'N' }),
  network_idle: awiDurationMs
    .optional()
    .describe('No request has been open for so many milliseconds.')
    .meta({ placeholder: 'N' }),
  timeout_ms: awiTimeoutMs,
})

export const WAIT_METHODS: readonly AwiMethod[] = [
  awiMethod({
    method: 'wait_for',
    summary: 'Wait for a text, an address, or until nothing moves; all that is given must hold.',
    params: waitForParams,
    cli: [{ examples: ["awi-tty wait-for --text 'Results' --timeout-ms 5000"] }],
    toParams: ({ idle, network_idle, ...rest }) => ({
      ...rest,
      network_idle_ms: network_idle,
      ...quietFor(idle),
    }),
    toResult: waited,
    toError: seen,
  }),
  awiMethod({
    method: 'wait_for_frame_quiescence',
    summary: 'Wait until the page has not changed for a while.',
    params: z.object({
      idle_ms: awiDurationMs.describe('For how many milliseconds.'),
      timeout_ms: awiTimeoutMs,
    }),
    cli: [{ positionals: ['idle_ms'], examples: ['awi-tty wait-for-frame-quiescence 500'] }],
    toParams: ({ idle_ms, timeout_ms }) => ({ timeout_ms, ...quietFor(idle_ms) }),
    toResult: waited,
    toError: seen,
  }),
  awiMethod({
    method: 'wait_for_title_contains',
    summary: 'Wait until the title has a text in it.',
    params: z.object({ substring: z.string().describe('The text.'), timeout_ms: awiTimeoutMs }),
    cli: [
      {
        positionals: ['substring'],
        examples: ["awi-tty wait-for-title-contains 'Hacker News' --timeout-ms 5000"],
        plain: 'title',
      },
    ],
    toParams: ({ substring, timeout_ms }) => ({ title: substring, timeout_ms }),
    toResult: (result: WaitResult) => ({ ...waited(result), title: result.snapshot.title }),
    toError: seen,
  }),
]

/** Quiet since the last input, too, whose effect may not be seen yet. */
function quietFor(idleMs: number | undefined): object {
  return idleMs === undefined ? {} : { idle_ms: idleMs, after_input: true, settle_ms: idleMs }
}

function waited({ elapsed_ms }: WaitResult): object {
  return { ...AWI_OK, elapsed_ms: Math.round(elapsed_ms) }
}

/** What was seen instead, in the words of this protocol. */
function seen(error: OpError): OpError {
  const shown = error.details['snapshot'] as Snapshot | undefined
  if (error.code !== 'wait_timeout' || shown === undefined) return error
  const { title, page, lines } = shown
  const details = { url: page?.url ?? '', title, lines: lines.map(({ text }) => text) }
  return new OpError(error.code, error.message, details, { cause: error })
}

export const SUBSCRIBE_EVENTS: AwiMethod = awiMethod({
  method: 'subscribe_events',
  summary: 'Print what happens, one JSON object a line, until interrupted.',
  params: z.object({}),
  cli: [
    {
      examples: ['awi-tty subscribe-events --count 1'],
      local: z.object({
        count: z.int().optional().describe('End after so many events.').meta({ placeholder: 'N' }),
      }),
    },
  ],
  serve: async (_params, ask) => {
    await ask.follow()
    return AWI_OK
  },
})

/** A part of the result of `host.status`. */
interface Status {
  readonly version: string
  readonly started_at: string
  readonly metrics: {
    readonly events: number
    readonly requests: readonly {
      readonly operation: string
      readonly count: number
      readonly total_ms: number
    }[]
  }
}

export const STATUS_METHODS: readonly AwiMethod[] = [
  awiMethod({
    method: 'ping',
    summary: 'Ask whether the browser is there.',
    params: z.object({}),
    cli: [{ examples: ['awi-tty ping'] }],
    toParams: () => ({}),
  }),
  awiMethod({
    method: 'get_capabilities',
    summary: 'Say what this browser can do.',
    params: z.object({}),
    cli: [{ examples: ['awi-tty get-capabilities'] }],
    serve: async (_params, ask) => {
      const { version, started_at, metrics } = (await ask.own()) as Status
      const taken = metrics.requests.find(({ operation }) => operation === 'session.snapshot')
      const meanMs = taken === undefined ? 0 : taken.total_ms / taken.count
      return {
        version,
        features: ask.features,
        snapshot_formats: snapshotParams.shape.format.unwrap().options,
        platform: 'unix',
        session_id: ask.session,
        data: {
          uptime_ms: Date.now() - Date.parse(started_at),
          requests: Object.fromEntries(metrics.requests.map(({ operation, count }) => [operation, count])),
          events: metrics.events,
          snapshots: { count: taken?.count ?? 0, export_mean_ms: Math.round(meanMs * 1000) / 1000 },
        },
      }
    },
  }),
]
