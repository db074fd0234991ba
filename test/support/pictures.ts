/** What the tests of pictures share: glyphs from the shipped files, and screens out of bytes. */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { GlyphAtlas } from '../../packages/transom/src/evidence/pictures/glyph-atlas.ts'
import { GlyphSet } from '../../packages/transom/src/evidence/pictures/glyph-set.ts'
import type { Frame } from '../../packages/transom/src/terminal/emulator.ts'
import { VtEmulator } from '../../packages/transom/src/terminal/vt/vt-emulator.ts'

/** Without optional fonts: what every machine draws alike. */
export function shippedGlyphs(scale: number): GlyphSet {
  const file = new URL(`../../packages/transom/assets/glyphs-${scale}.bin`, import.meta.url)
  return new GlyphSet(new GlyphAtlas(fs.readFileSync(file)))
}

export function frameOf(bytes: string, cols: number, rows: number): Frame {
  const emulator = new VtEmulator(cols, rows)
  emulator.write(Buffer.from(bytes))
  return emulator.frame()
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const range = (from: number, to: number) =>
  String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, index) => from + index))

/** A page with something of everything that is drawn, 80 × 32. */
export function specimenPage(): string {
  const lines = [
    'Regular \x1b[1mBold\x1b[0m \x1b[3mItalic\x1b[0m \x1b[1;3mBold italic\x1b[0m \x1b[2mdim\x1b[0m \x1b[7mreverse\x1b[0m \x1b[9mstrike\x1b[0m \x1b[53mover\x1b[0m \x1b[5mblink\x1b[0m [\x1b[8mhidden\x1b[0m] \x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\',
    ...['4:1', '4:2', '4:3', '4:4', '4:5'].map(
      (sgr) => `\x1b[${sgr}mgjpqy\x1b[0m \x1b[${sgr};58;2;255;80;80mcoloured\x1b[0m`,
    ),
    range(0x21, 0x6f),
    `${range(0x70, 0x7e)} é ñ e\u0301 x\u0302 q\u0303 Ω Жук λ ✓ → … “quotes” ∑ √ ≠ 漢字 あ`,
    ...[0x2500, 0x2540].map((from) => range(from, from + 0x3f)),
    '┌─┬─┐ ╔═╦═╗ ┏━┳━┓ ╭─┬─╮ ╒═╤═╕ ╓─╥─╖',
    '│ │ │ ║ ║ ║ ┃ ┃ ┃ │ │ │ │ │ │ ║ ║ ║',
    '├─┼─┤ ╠═╬═╣ ┣━╋━┫ ├─┼─┤ ╞═╪═╡ ╟─╫─╢',
    '└─┴─┘ ╚═╩═╝ ┗━┻━┛ ╰─┴─╯ ╘═╧═╛ ╙─╨─╜',
    range(0x2580, 0x259f),
    ...[0x2800, 0x2840, 0x2880, 0x28c0].map((from) => range(from, from + 0x3f)),
    `${range(0x1fb00, 0x1fb3b)}${range(0x1fb70, 0x1fb7f)}`,
    range(0x1fb80, 0x1fb8b),
    `\x1b[44m main \x1b[34;42m\ue0b0\x1b[30m ok \x1b[32;49m\ue0b0\x1b[0m ${range(0xe0a0, 0xe0a2)} ${range(0xe0b0, 0xe0bf)}`,
    ...[0, 1, 2, 3].map((row) =>
      Array.from({ length: 64 }, (_, index) => `\x1b[48;5;${row * 64 + index}m `).join(''),
    ),
    Array.from({ length: 64 }, (_, index) => `\x1b[48;2;${index * 4};${255 - index * 4};128m `).join(''),
  ]
  return `${lines.join('\x1b[0m\r\n')}\x1b[0m`
}
