import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { errnoOf, fileError, messageOf } from '../../lib/system-error.ts'
import { GlyphAtlas } from '../pictures/glyph-atlas.ts'
import { GlyphSet, type MissingGlyph } from '../pictures/glyph-set.ts'
import { encodeHtml } from '../pictures/html.ts'
import { encodePng } from '../pictures/png-writer.ts'
import { rasterize, type PictureOptions } from '../pictures/rasterizer.ts'
import { parseScheme } from '../pictures/scheme-file.ts'
import { encodeSvg } from '../pictures/svg.ts'
import { THEMES, type Theme } from '../pictures/theme.ts'
import { OptionalFonts } from './optional-fonts.ts'
import { unpackView, type DrawnPicture, type PictureJob } from './picture-job.ts'

const SCHEME_BYTES_MAX = 1 << 20

/** Draws pictures and keeps the glyphs for the next one. */
export class Studio {
  readonly #glyphFile: (scale: number) => Uint8Array
  readonly #fonts: OptionalFonts
  readonly #glyphs = new Map<number, GlyphSet>()

  /** `glyphFile` reads the glyphs of a scale; optional packages are looked for from `program` upwards. */
  constructor(glyphFile: (scale: number) => Uint8Array, program: string) {
    this.#glyphFile = glyphFile
    this.#fonts = new OptionalFonts(program)
  }

  /** Draws a picture into its file. */
  draw(job: PictureJob): DrawnPicture {
    const theme = job.scheme === null ? THEMES[job.theme] : readScheme(job.scheme)
    const picture = this.#make(job, theme)
    try {
      fs.writeFileSync(job.out, picture.content, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      fs.rmSync(job.out, { force: true })
      throw fileError(error, `write ${job.out}`, { file: job.out })
    }
    const { width, height } = picture
    return { width, height, theme: theme.name, missing: this.#missing(picture.missing) }
  }

  glyphs(scale: number): GlyphSet {
    let glyphs = this.#glyphs.get(scale)
    if (glyphs === undefined) {
      const atlas = new GlyphAtlas(this.#glyphFile(scale))
      this.#glyphs.set(scale, (glyphs = new GlyphSet(atlas, this.#fonts.at(atlas.cell))))
    }
    return glyphs
  }

  #make(job: PictureJob, theme: Theme) {
    const view = unpackView(job.view)
    const { padding, showCursor, window, crop } = job
    const options: PictureOptions = { theme, padding, showCursor, window, crop }
    switch (job.format) {
      case 'png': {
        const glyphs = this.glyphs(job.scale)
        const raster = rasterize(view, glyphs, options)
        const { width, height } = raster
        return { content: encodePng(raster), width, height, missing: glyphs.takeMissing() }
      }
      case 'svg': {
        const { svg, width, height } = encodeSvg(view, { ...options, scale: job.scale })
        return { content: svg, width, height, missing: [] }
      }
      case 'html':
        return {
          content: encodeHtml(view, { ...options, caption: job.caption }),
          width: null,
          height: null,
          missing: [],
        }
      default:
        return job.format satisfies never
    }
  }

  #missing(missing: readonly MissingGlyph[]): DrawnPicture['missing'] {
    if (missing.length === 0) return null
    const points = missing.flatMap(({ text }) =>
      Array.from(text, (character) => character.codePointAt(0) ?? 0),
    )
    return {
      codePoints: [...new Set(points)].map(
        (point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`,
      ),
      install: this.#fonts.packagesFor(points),
    }
  }
}

function readScheme(file: string): Theme {
  let text: string
  try {
    if (fs.statSync(file).size > SCHEME_BYTES_MAX) throw new Error('it is far too large for a colour scheme')
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    const message = `cannot read ${file}: ${messageOf(error)}`
    throw new OpError('file_not_read', message, { file, errno: errnoOf(error) }, { cause: error })
  }
  return parseScheme(text, path.basename(file))
}
