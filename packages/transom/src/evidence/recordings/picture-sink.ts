import * as fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import * as path from 'node:path'
import { OpError, next } from '@transom/protocol/errors'
import { Grid, createGridTables } from '@transom/grid'
import { fileError } from '../../lib/system-error.ts'
import { ApngEncoder } from '../pictures/apng-encoder.ts'
import { GifEncoder } from '../pictures/gif-encoder.ts'
import { GlyphAtlas } from '../pictures/glyph-atlas.ts'
import { GlyphSet } from '../pictures/glyph-set.ts'
import { Rasterizer, type PictureView } from '../pictures/rasterizer.ts'
import type { Raster } from '../pictures/raster.ts'
import { THEMES } from '../pictures/theme.ts'
import type { Frame } from '../../terminal/emulator.ts'
import { VideoEncoder, type VideoFormat } from './video-encoder.ts'

const PIXELS_MAX = 1 << 25 // 134 MB for a picture, and an animation keeps two

export interface PictureSettings {
  readonly format: 'apng' | 'gif' | VideoFormat
  readonly framesPerSecond: number
  readonly scale: number
  readonly theme: 'dark' | 'light'
  /** In cells. */
  readonly size: { readonly cols: number; readonly rows: number }
  /** Where the glyphs are. */
  readonly assets: string
}

/** Where the pictures of an animation go. */
interface Encoder {
  add(raster: Raster, durationMs: number): Promise<void>
  end(): Promise<number>
}

/** Draws frames and writes them to a file, one at a time. */
export class PictureSink {
  readonly width: number
  readonly height: number
  readonly #rasterizer: Rasterizer
  readonly #encoder: Encoder
  readonly #signal: AbortSignal

  constructor(settings: PictureSettings, target: { file: FileHandle; path: string; signal: AbortSignal }) {
    const { scale, theme, size } = settings
    this.#signal = target.signal
    const atlas = new GlyphAtlas(fs.readFileSync(path.join(settings.assets, `glyphs-${scale}.bin`)))
    refuseTooLarge(size, scale, atlas.cell.width * atlas.cell.height)
    this.#rasterizer = new Rasterizer(new GlyphSet(atlas), { theme: THEMES[theme], size })
    const { width, height } = this.#rasterizer.draw(blank(size))
    this.width = width
    this.height = height
    this.#encoder = encoderFor(settings, { width, height }, target)
  }

  async show(frame: Frame, durationMs: number): Promise<void> {
    this.#signal.throwIfAborted() // a picture may take longer than the log between two of them is read in
    await this.#encoder.add(this.#rasterizer.draw(frame), durationMs)
  }

  /** Returns the number of pictures. */
  async end(): Promise<number> {
    return this.#encoder.end()
  }
}

function refuseTooLarge(
  { cols, rows }: { cols: number; rows: number },
  scale: number,
  cellPixels: number,
): void {
  const pixels = cols * rows * cellPixels
  if (pixels <= PIXELS_MAX) return
  const millions = (count: number) => Math.round(count / 1e6)
  const message = `pictures of ${cols}x${rows} cells at scale ${scale} have ${millions(pixels)} million pixels, and a recording at most ${millions(PIXELS_MAX)} million`
  const smaller = { set: { scale: 1 }, does: 'draw it smaller' }
  const steps = [
    ...(pixels / scale ** 2 <= PIXELS_MAX ? [smaller] : []),
    { set: { format: 'html' }, does: 'make a page that plays it in any size' },
  ]
  throw new OpError('usage', message, { cols, rows, scale, ...next(...steps) })
}

function encoderFor(
  { format, framesPerSecond }: PictureSettings,
  size: { width: number; height: number },
  { file, path: output, signal }: { file: FileHandle; path: string; signal: AbortSignal },
): Encoder {
  switch (format) {
    case 'apng':
      return fileEncoder(new ApngEncoder(size), file, output)
    case 'gif':
      return fileEncoder(new GifEncoder(size), file, output)
    case 'webm':
    case 'mp4':
      return VideoEncoder.start({ format, ...size, framesPerSecond, output, signal })
    default:
      return format satisfies never
  }
}

function fileEncoder(encoder: ApngEncoder | GifEncoder, file: FileHandle, output: string): Encoder {
  let at = 0
  const write = async (bytes: Uint8Array, position: number) => {
    try {
      await file.write(bytes, 0, bytes.length, position)
    } catch (error) {
      throw fileError(error, `write ${output}`, { file: output })
    }
  }
  const append = async (bytes: Uint8Array) => {
    await write(bytes, at)
    at += bytes.length
  }
  return {
    add: async (raster, durationMs) => append(encoder.add(raster, durationMs)),
    end: async () => {
      const end: ReturnType<GifEncoder['end']> & Partial<ReturnType<ApngEncoder['end']>> = encoder.end()
      await append(end.bytes)
      if (end.patch !== undefined) await write(end.patch.bytes, end.patch.offset)
      return encoder.frameCount
    },
  }
}

function blank({ cols, rows }: { cols: number; rows: number }): PictureView {
  const cursor = { row: 0, col: 0, visible: false, shape: 'block', blink: false } as const
  return { grid: new Grid(cols, rows, createGridTables()), cursor }
}
