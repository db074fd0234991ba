import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import type { ParsedParams, Result } from '@transom/protocol'
import { findText } from '@transom/grid'
import { OpError, next } from '@transom/protocol/errors'
import type { ArtifactStore } from '../home/artifact-store.ts'
import { placeCopy, refuseTarget } from '../lib/placed-file.ts'
import type { CellRange } from '../evidence/pictures/rasterizer.ts'
import { packView } from '../evidence/picture-worker/picture-job.ts'
import type { PicturePool } from '../evidence/picture-worker/picture-pool.ts'
import { screenHash } from '../session/snapshot.ts'
import type { Projection } from '../session/projection.ts'

type ScreenshotParams = ParsedParams<'session.screenshot'>

export interface ScreenshotSubject {
  /** The session's id. */
  readonly session: string
  readonly screen: Projection
  readonly store: ArtifactStore
}

/** A Screenshot Capture: has the picture drawn, keeps it as an artifact, and copies it to where it was asked for. */
export async function takeScreenshot(
  { session, screen, store }: ScreenshotSubject,
  params: ScreenshotParams,
  { pool, signal }: { pool: PicturePool; signal: AbortSignal },
): Promise<Result<'session.screenshot'>> {
  const format = params.format ?? formatOf(params.out)
  const target = params.out === undefined ? null : { out: params.out, force: params.force ?? false }
  if (target !== null) await refuseTarget(target)
  // Taken before the first await, because the session continues.
  const frame = screen.frame()
  const { seq } = screen
  const hash = screenHash(screen.canonical())
  const crop = cropOf(screen, params)
  const temporary = store.temporaryFile()
  const drawing = pool.draw(
    {
      view: packView(frame),
      format,
      theme: params.theme ?? 'dark',
      scheme: params.scheme ?? null,
      scale: params.scale,
      padding: params.padding,
      showCursor: params.no_cursor !== true,
      window: params.window || params.title !== undefined ? { title: params.title ?? '' } : null,
      crop,
      caption: `${session} at seq ${seq}, ${frame.grid.cols} × ${frame.grid.rows}`,
      out: temporary,
    },
    signal,
  )
  const { width, height, theme, missing } = await drawing.catch(async (error: unknown) => {
    await fs.rm(temporary, { force: true }) // of a thread that ended in the middle
    throw error
  })
  const artifact = await store.adopt({ kind: 'screenshot', format, seq }, temporary)
  const kept = store.pathOf(artifact)
  if (target !== null) await placeCopy(kept, target)
  return {
    session,
    seq,
    format,
    path: target?.out ?? kept,
    artifact: artifact.id,
    bytes: artifact.bytes,
    sha256: artifact.sha256,
    width,
    height,
    cols: crop === null ? frame.grid.cols : crop.toCol - crop.fromCol,
    rows: crop === null ? frame.grid.rows : crop.toRow - crop.fromRow,
    scale: params.scale,
    theme,
    screen_hash: hash,
    missing_glyphs:
      missing === null ? null : { code_points: [...missing.codePoints], install: [...missing.install] },
    ...(params.inline ? await inlined(kept, format) : {}),
  }
}

async function inlined(
  file: string,
  format: 'png' | 'svg' | 'html',
): Promise<{ png_b64: string } | { text: string }> {
  const content = await fs.readFile(file)
  return format === 'png' ? { png_b64: content.toString('base64') } : { text: content.toString('utf8') }
}

const FORMATS = ['png', 'svg', 'html'] as const

/** By the name of the file; a picture of another format than its name says would mislead every program. */
function formatOf(out: string | undefined): (typeof FORMATS)[number] {
  const extension = path
    .extname(out ?? '')
    .slice(1)
    .toLowerCase()
  const named = extension === '' ? 'png' : FORMATS.find((format) => format === extension)
  if (named !== undefined) return named
  const message = `cannot draw a ".${extension}" file; a screenshot is one of ${FORMATS.join(', ')}`
  throw new OpError('usage', message, {
    out,
    ...next({ set: { format: 'png' }, does: 'write PNG under that name' }),
  })
}

/** The cells that are asked for, inside the screen; null for all of them. */
function cropOf(screen: Projection, { crop_rows, crop_cols, crop_text }: ScreenshotParams): CellRange | null {
  if (crop_rows !== undefined && crop_text !== undefined)
    throw new OpError('usage', 'give one of `crop_rows` and `crop_text`')
  if (crop_rows === undefined && crop_cols === undefined && crop_text === undefined) return null
  const { cols, rows } = screen.frame().grid
  const [fromRow, toRow] =
    crop_text === undefined ? spanOf('crop_rows', crop_rows, rows) : rowsOf(screen, crop_text)
  const [fromCol, toCol] = spanOf('crop_cols', crop_cols, cols)
  return { fromRow, toRow, fromCol, toCol }
}

function spanOf(name: string, span: string | undefined, size: number): [from: number, to: number] {
  if (span === undefined) return [0, size]
  const [from = 0, last = from] = span.split('-').map(Number)
  if (from <= last && from < size) return [from, Math.min(last + 1, size)]
  throw new OpError('usage', `\`${name}\`: the screen has ${size}, counted from 0 (got ${span})`, {
    [name]: span,
  })
}

/** All rows of the lines from the first to the last that show the text. */
function rowsOf(screen: Projection, text: string): [from: number, to: number] {
  const canonical = screen.canonical()
  const spans = [...findText({ grid: screen.frame().text, canonical }, text)]
  const isShown = ({ start, text: line }: { start: number; text: string }) =>
    spans.some((span) => span.start <= start + line.length && span.end > start)
  const lines = canonical.lines.filter(isShown)
  const [first, last] = [lines[0], lines.at(-1)]
  if (first !== undefined && last !== undefined) return [first.rowIndex, last.rowIndex + last.rowCount]
  const message = `the text ${JSON.stringify(text)} of \`crop_text\` is not on the screen at seq ${screen.seq}`
  const look = next({ call: 'session.snapshot', params: {}, does: 'shows the screen' })
  throw new OpError('text_not_found', message, { text, seq: screen.seq, ...look })
}
