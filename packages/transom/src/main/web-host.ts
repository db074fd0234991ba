/**
 * The browser behind `awi-tty open`: in the foreground, in the process of the command itself. Standard output stays
 * clean; what there is to say goes to standard error.
 */
import * as fs from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { VERSION, actorName } from '@transom/protocol'
import { toWireError, type WireError } from '@transom/protocol/errors'
import type { AgentObserver } from '../surfaces/awi/agent-socket/agent-connection.ts'
import { defaultAgentSocket } from '../surfaces/awi/agent-socket/agent-socket-path.ts'
import type { DrawPng } from '../surfaces/awi/agent-socket/agent-snapshots.ts'
import { WebHost } from '../surfaces/awi/agent-socket/web-host.ts'
import { GlyphAtlas } from '../evidence/pictures/glyph-atlas.ts'
import { GlyphSet } from '../evidence/pictures/glyph-set.ts'
import { encodePng } from '../evidence/pictures/png-writer.ts'
import { rasterize } from '../evidence/pictures/rasterizer.ts'

export interface OpenBrowserOptions {
  readonly env: NodeJS.ProcessEnv
  /** Ends it. */
  readonly signal: AbortSignal
  readonly url: string | undefined
  /** Empty for the default place. */
  readonly agentSocket: string
  readonly cols: number | undefined
  readonly rows: number | undefined
  readonly zoom: number | undefined
  readonly allowHosts: readonly string[] | undefined
  readonly onlyHosts: readonly string[] | undefined
  readonly profile: string | undefined
  readonly debug: boolean | undefined
}

/** Serves until it is told to end. A failure is told as it crosses a wire: the caller is another bundle. */
export async function openBrowser(options: OpenBrowserOptions): Promise<WireError | null> {
  try {
    await serveBrowser(options)
    return null
  } catch (error) {
    return toWireError(error)
  }
}

async function serveBrowser(given: OpenBrowserOptions): Promise<void> {
  const { agentSocket, zoom, profile, debug = false, signal, ...options } = given
  const worker = fileURLToPath(new URL('frame-worker.cjs', import.meta.url))
  const ended = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)))
  const host = await WebHost.open({
    ...options,
    version: VERSION,
    socketPath: agentSocket === '' ? defaultAgentSocket(options.env) : agentSocket,
    zoomPercent: zoom,
    profileFolder: profile,
    workerSource: fs.readFileSync(worker, 'utf8'),
    drawPng: cellPainter(fileURLToPath(new URL('glyphs-1.bin', import.meta.url))),
    observer: debug ? debugObserver() : SILENT,
    say: (message) => process.stderr.write(`awi-tty: ${message}\n`),
  })
  if (debug) debugLine({ event: 'listening', socket: host.socketPath })
  const lost = signal.aborted ? null : await Promise.race([ended, host.whenLost])
  if (lost !== null) await nextTurn() // those who wait are answered first
  await host.close()
  if (lost !== null) throw lost // agents find no browser then, and the exit status tells whoever started it
}

/** Draws cells with the glyphs that the product ships; they are read when the first picture is asked for. */
function cellPainter(glyphFile: string): DrawPng {
  let glyphs: GlyphSet | null = null
  const cursor = { row: 0, col: 0, visible: false, shape: 'block', blink: false } as const
  return ({ grid }) => {
    glyphs ??= new GlyphSet(new GlyphAtlas(fs.readFileSync(glyphFile)))
    return encodePng(rasterize({ grid, cursor }, glyphs, { padding: 0, showCursor: false }))
  }
}

const SILENT: AgentObserver = { opened: () => 0, request: () => {}, closed: () => {} }

/** Connections, request ids, durations and errors; never what was asked for. */
function debugObserver(): AgentObserver {
  let connections = 0
  return {
    opened: (peer) => {
      debugLine({ event: 'connected', connection: ++connections, peer: actorName(peer) })
      return connections
    },
    request: ({ durationMs, ...request }) =>
      debugLine({ event: 'request', ...request, ms: Math.round(durationMs * 1000) / 1000 }),
    closed: (connection) => debugLine({ event: 'disconnected', connection }),
  }
}

function debugLine(entry: object): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...entry })}\n`)
}
