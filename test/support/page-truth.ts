import { textGrid } from '../../packages/transom/src/kinds/web/frame-grid.ts'
import { readRgb } from '../../packages/transom/src/lib/png-reader.ts'
import { CELL_HEIGHT_PX, CELL_TEXT, type WebFrame } from '../../packages/transom/src/kinds/web/web-frame.ts'
import type { TestPage } from './web.ts'

/** A character of a text node, with its box in CSS pixels of the tab. */
export interface TruthCharacter {
  readonly text: string
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly isScrolledAway: boolean
  /** Whether hit tests find it everywhere in its box. */
  readonly hit: boolean
  /** How much of its box is seen in the picture, from 0 to 1. */
  readonly seen: number
}

/** What the DOM and the picture say is there: `fixtures/web/truth.js` collects it. */
export interface Truth {
  readonly characters: readonly TruthCharacter[]
  readonly texts: readonly { readonly text: string; readonly top: number; readonly bottom: number }[]
}

/** Why characters do not count. */
export interface LeftOut {
  readonly scrolledAway: number
  /** Nothing of them is in the picture. */
  readonly hidden: number
  /** Some of them is in the picture, but less than SEEN_MIN. */
  readonly partly: number
}

export interface Comparison {
  readonly expected: number
  readonly right: number
  readonly leftOut: LeftOut
  readonly wrong: readonly string[]
}

/** Of a character that counts, at least so much of its box is seen. Less is guesswork for an eye, too. */
export const SEEN_MIN = 0.8

/** Two colours that stay apart under whatever is laid over them: a veil of 90 % leaves a tenth of their distance. */
const LIGHTS = ['#ff0000', '#00ffff'] as const
const LIGHT_DISTANCE_MIN = 24

export async function readTruth(page: TestPage): Promise<Truth> {
  const { characters, texts } = await page.evaluate<{
    characters: Omit<TruthCharacter, 'seen'>[]
    texts: Truth['texts']
  }>('truth()')
  const seen = characters.map(() => 0)
  for (const layer of layersOf(characters)) {
    const pictures: Uint32Array[] = []
    let width = 0
    for (const color of LIGHTS) {
      await page.evaluate(`light(${JSON.stringify(layer)}, ${JSON.stringify(color)})`)
      const pixels = readRgb(await page.picture(), 'the page')
      width = pixels.width
      pictures.push(pixels.rgb)
    }
    const [red, cyan] = pictures
    const differs = (x: number, y: number) =>
      x >= 0 &&
      x < width &&
      distance(red?.[y * width + x] ?? 0, cyan?.[y * width + x] ?? 0) > LIGHT_DISTANCE_MIN
    for (const index of layer) seen[index] = shareOf(boxOf(characters[index]), differs)
  }
  await page.evaluate('light([], "red")')
  return { characters: characters.map((it, index) => ({ ...it, seen: seen[index] ?? 0 })), texts }
}

/** Counts the characters of the truth that the frame shows where they were painted. */
export function compareWithTruth(frame: WebFrame, truth: Truth): Comparison {
  const grid = textGrid(frame)
  const wrong: string[] = []
  let expected = 0
  let right = 0
  for (const character of truth.characters.filter(counts)) {
    const { text, left: x, top: y } = character
    const parts = Array.from(text.normalize('NFC')).filter(
      (it) => !/[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(it),
    )
    expected += parts.length
    const seen = textAround(frame, x * frame.scale, y * frame.scale, parts.length * 2)
    const found = parts.filter((part) => seen.includes(part)).length
    right += found
    if (found < parts.length)
      wrong.push(
        `${JSON.stringify(text)} at ${x.toFixed(1)},${y.toFixed(1)} (${Math.round(character.seen * 100)} % seen) reads ${JSON.stringify(seen)}`,
      )
  }
  for (const { text, top, bottom } of truth.texts) {
    const length = Array.from(text.replaceAll(/\s/g, '')).length
    const first = Math.max(0, Math.floor((top * frame.scale) / CELL_HEIGHT_PX) - 1)
    const rows = Array.from(
      { length: Math.ceil((bottom * frame.scale) / CELL_HEIGHT_PX) + 1 - first },
      (_, at) => first + at,
    )
    const isThere = rows.some((row) => row < grid.rows && squeezed(grid.lineOf(row)).includes(squeezed(text)))
    expected += length
    if (isThere) right += length
    else wrong.push(`${JSON.stringify(text)} in rows ${first}–${rows.at(-1)}`)
  }
  return { expected, right, leftOut: leftOutOf(truth), wrong }
}

/** Left out is only what neither the picture nor hit tests find. */
function counts({ seen, hit, isScrolledAway }: TruthCharacter): boolean {
  return !isScrolledAway && (hit || seen >= SEEN_MIN)
}

function leftOutOf({ characters }: Truth): LeftOut {
  const left = characters.filter((character) => !counts(character))
  const onScreen = left.filter(({ isScrolledAway }) => !isScrolledAway)
  return {
    scrolledAway: left.length - onScreen.length,
    hidden: onScreen.filter(({ seen }) => seen === 0).length,
    partly: onScreen.filter(({ seen }) => seen > 0).length,
  }
}

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The whole pixels of a character's box. */
function boxOf(character: Box | undefined): Box {
  const { left, top, right, bottom } = character ?? { left: 0, top: 0, right: 0, bottom: 0 }
  return { left: Math.ceil(left), top: Math.round(top), right: Math.floor(right), bottom: Math.round(bottom) }
}

/** Characters in layers in which no two boxes overlap: what is lit in a box is then that character. */
function layersOf(characters: readonly Omit<TruthCharacter, 'seen'>[]): number[][] {
  const layers: { indexes: number[]; taken: Set<number> }[] = []
  for (const [index, character] of characters.entries()) {
    if (character.isScrolledAway) continue
    const pixels: number[] = []
    eachPixel(boxOf(character), (x, y) => pixels.push(y * PICTURE_WIDTH_MAX + x))
    let layer = layers.find(({ taken }) => !pixels.some((pixel) => taken.has(pixel)))
    if (layer === undefined) layers.push((layer = { indexes: [], taken: new Set() }))
    layer.indexes.push(index)
    for (const pixel of pixels) layer.taken.add(pixel)
  }
  return layers.map(({ indexes }) => indexes)
}

const PICTURE_WIDTH_MAX = 10_000

function shareOf(box: Box, holds: (x: number, y: number) => boolean): number {
  let all = 0
  let held = 0
  eachPixel(box, (x, y) => {
    all++
    if (holds(x, y)) held++
  })
  return all === 0 ? 0 : held / all
}

function eachPixel({ left, top, right, bottom }: Box, visit: (x: number, y: number) => void): void {
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) visit(x, y)
}

function distance(a: number, b: number): number {
  const channel = (shift: number) => Math.abs(((a >> shift) & 255) - ((b >> shift) & 255))
  return channel(16) + channel(8) + channel(0)
}

function squeezed(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

/** What is read from the cells that were painted at a point, and for a cluster of several from those beside it. */
function textAround(frame: WebFrame, x: number, y: number, cells: number): string {
  const { grid, kinds, originX, originY } = frame
  for (let index = 0; index < kinds.length; index++) {
    if (kinds[index] !== CELL_TEXT) continue
    const [dx, dy] = [(originX[index] ?? 0) - x, (originY[index] ?? 0) - y]
    if (Math.abs(dx) > 2 || Math.abs(dy) > 3) continue
    const row = Math.floor(index / grid.cols)
    const col = index % grid.cols
    return grid.textOf(row, col, Math.min(grid.cols, col + (cells > 2 ? cells : 1))).normalize('NFC')
  }
  return ''
}
