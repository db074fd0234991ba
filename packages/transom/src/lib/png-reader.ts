import { inflateSync } from 'node:zlib'
import { OpError } from '@transom/protocol/errors'
import { PNG_SIGNATURE, concatBytes } from './png-chunks.ts'

export interface RgbPixels {
  readonly width: number
  readonly height: number
  /** 0xRRGGBB, row by row. */
  readonly rgb: Uint32Array
}

export interface RgbaPixels {
  readonly width: number
  readonly height: number
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly rgba: Uint8Array
}

/** Where so many pixels are put. */
export type PixelPlace = (count: number) => Uint32Array

/** Past this a picture is no screenshot, and its pixels would fill the memory. */
const PIXELS_MAX = 100_000_000
const HEADER_BYTES = 13
const [GRAY, TRUE_COLOR, PALETTE, GRAY_ALPHA, TRUE_COLOR_ALPHA] = [0, 2, 3, 4, 6]
/** How many channels a colour type has, for 8 bits each. */
const CHANNELS: Readonly<Record<number, number>> = {
  [GRAY]: 1,
  [TRUE_COLOR]: 3,
  [PALETTE]: 1,
  [GRAY_ALPHA]: 2,
  [TRUE_COLOR_ALPHA]: 4,
}
const UP = 2

/** A PNG with its rows as they are in the file: each has the number of its filter before its bytes. */
interface FilteredPng {
  /** For messages. */
  readonly name: string
  readonly width: number
  readonly height: number
  readonly type: number
  readonly channels: number
  readonly palette: Uint8Array
  readonly alphas: Uint8Array
  readonly rows: Uint8Array
}

/** Reads the pixels of a PNG in true colour, as browsers write them, without their opacity. */
export function readRgb(bytes: Uint8Array, name: string, place: PixelPlace = newPixels): RgbPixels {
  const png = readFiltered(bytes, name)
  const { width, height, type } = png
  if (type !== TRUE_COLOR && type !== TRUE_COLOR_ALPHA)
    throw unreadable(name, `it has the colour type ${type} and not true colour`)
  const rgb = place(width * height)
  if (isAllUp(png)) packUp(png, rgb)
  else {
    unfilter(png)
    packRgb(png, rgb)
  }
  return { width, height, rgb }
}

/** Reads a PNG with 8 bits a channel, not interlaced: all that we write and most that others do. */
export function readRgba(bytes: Uint8Array, name: string): RgbaPixels {
  const png = readFiltered(bytes, name)
  unfilter(png)
  return { width: png.width, height: png.height, rgba: packRgba(png) }
}

function newPixels(count: number): Uint32Array {
  return new Uint32Array(count)
}

function readFiltered(bytes: Uint8Array, name: string): FilteredPng {
  if (!PNG_SIGNATURE.every((byte, index) => bytes[index] === byte)) throw unreadable(name, 'it is no PNG')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks = new Map<string, Uint8Array[]>()
  for (let at = PNG_SIGNATURE.length; at + 12 <= bytes.length;) {
    const length = view.getUint32(at)
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const data = bytes.subarray(at + 8, at + 8 + length)
    const known = chunks.get(kind)
    if (known === undefined) chunks.set(kind, [data])
    else known.push(data)
    at += 12 + length
  }
  const whole = (kind: string) => {
    const parts = chunks.get(kind) ?? []
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : concatBytes(parts)
  }
  const header = readHeader(whole('IHDR'), name)
  const rows = inflateRows(whole('IDAT'), header.height * (header.width * header.channels + 1), name)
  return { ...header, name, palette: whole('PLTE'), alphas: whole('tRNS'), rows }
}

type Header = Pick<FilteredPng, 'width' | 'height' | 'type' | 'channels'>

function readHeader(header: Uint8Array, name: string): Header {
  if (header.length !== HEADER_BYTES) throw unreadable(name, 'it has no header')
  const view = new DataView(header.buffer, header.byteOffset, header.length)
  const [width, height, type] = [view.getUint32(0), view.getUint32(4), header[9] ?? -1]
  if (width === 0 || height === 0 || width * height > PIXELS_MAX)
    throw unreadable(name, `it has ${width} × ${height} pixels`)
  const channels = CHANNELS[type]
  if (header[8] !== 8 || header[12] !== 0 || channels === undefined)
    throw unreadable(name, 'only 8 bits a channel without interlacing are read')
  return { width, height, type, channels }
}

function inflateRows(data: Uint8Array, length: number, name: string): Uint8Array {
  let rows: Uint8Array
  try {
    // In one piece: by default zlib grows its output 16 KiB at a time.
    rows = inflateSync(data, { chunkSize: Math.max(64, length), maxOutputLength: length })
  } catch (error) {
    throw unreadable(name, 'its pixels are damaged', error)
  }
  if (rows.length < length) throw unreadable(name, 'it is cut off')
  return rows
}

/** Whether every row is stored as its difference from the one above. Chromium writes this for speed. */
function isAllUp({ rows, width, channels }: FilteredPng): boolean {
  const stride = width * channels + 1
  for (let start = 0; start < rows.length; start += stride) if (rows[start] !== UP) return false
  return true
}

/** Undoes that filter while pixels are packed, three channels in one addition: half the time of one after the other. */
function packUp({ rows, width, height, channels }: FilteredPng, rgb: Uint32Array): void {
  const above = new Uint32Array(width) // nothing is above the first row
  let at = 0
  let i = 0
  for (let y = 0; y < height; y++) {
    i++ // the filter's own byte
    for (let x = 0; x < width; x++, i += channels) {
      const change = ((rows[i] ?? 0) << 16) | ((rows[i + 1] ?? 0) << 8) | (rows[i + 2] ?? 0)
      if (change !== 0) {
        const pixel = above[x] ?? 0
        // Each byte by itself: the upper bits are added without the carry that would run into the next byte.
        above[x] = ((change & LOW_BITS) + (pixel & LOW_BITS)) ^ ((change ^ pixel) & HIGH_BITS)
      }
    }
    rgb.set(above, at)
    at += width
  }
}

const LOW_BITS = 0x7f_7f7f
const HIGH_BITS = 0x80_8080

/** Undoes the filters of the PNG specification (section 9) in place. */
function unfilter({ name, rows, width, height, channels }: FilteredPng): void {
  const stride = width * channels
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1) + 1
    const end = start + stride
    const up = y === 0 ? 0 : stride + 1 // the distance to the row above
    switch (rows[start - 1]) {
      case 0:
        break
      case 1:
        for (let i = start + channels; i < end; i++) rows[i] = (rows[i] ?? 0) + (rows[i - channels] ?? 0)
        break
      case UP:
        if (up > 0) for (let i = start; i < end; i++) rows[i] = (rows[i] ?? 0) + (rows[i - up] ?? 0)
        break
      case 3:
        average(rows, { start, end, up, channels })
        break
      case 4:
        paeth(rows, { start, end, up, channels })
        break
      default:
        throw unreadable(name, `row ${y} has the unknown filter ${rows[start - 1]}`)
    }
  }
}

interface FilteredRow {
  readonly start: number
  readonly end: number
  readonly up: number
  readonly channels: number
}

function average(rows: Uint8Array, { start, end, up, channels }: FilteredRow): void {
  for (let i = start; i < end; i++) {
    const left = i - start >= channels ? (rows[i - channels] ?? 0) : 0
    const above = up > 0 ? (rows[i - up] ?? 0) : 0
    rows[i] = (rows[i] ?? 0) + ((left + above) >> 1)
  }
}

function paeth(rows: Uint8Array, { start, end, up, channels }: FilteredRow): void {
  for (let i = start; i < end; i++) {
    const inside = i - start >= channels
    const left = inside ? (rows[i - channels] ?? 0) : 0
    const above = up > 0 ? (rows[i - up] ?? 0) : 0
    const corner = inside && up > 0 ? (rows[i - up - channels] ?? 0) : 0
    const toLeft = Math.abs(above - corner)
    const toAbove = Math.abs(left - corner)
    const toCorner = Math.abs(left + above - 2 * corner)
    const nearest = toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner
    rows[i] = (rows[i] ?? 0) + nearest
  }
}

function packRgb({ rows, width, height, channels }: FilteredPng, rgb: Uint32Array): void {
  let at = 0
  for (let y = 0; y < height; y++) {
    const start = y * (width * channels + 1) + 1
    for (let i = start; i < start + width * channels; i += channels) {
      rgb[at++] = ((rows[i] ?? 0) << 16) | ((rows[i + 1] ?? 0) << 8) | (rows[i + 2] ?? 0)
    }
  }
}

function packRgba({ rows, width, height, type, channels, palette, alphas }: FilteredPng): Uint8Array {
  const rgba = new Uint8Array(width * height * 4)
  const hasColors = type === TRUE_COLOR || type === TRUE_COLOR_ALPHA
  const hasAlpha = type === GRAY_ALPHA || type === TRUE_COLOR_ALPHA
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * (width * channels + 1) + 1 + x * channels
      const to = (y * width + x) * 4
      const value = rows[from] ?? 0
      for (let channel = 0; channel < 3; channel++) {
        if (type === PALETTE) rgba[to + channel] = palette[value * 3 + channel] ?? 0
        else rgba[to + channel] = hasColors ? (rows[from + channel] ?? 0) : value
      }
      if (type === PALETTE) rgba[to + 3] = alphas[value] ?? 255
      else rgba[to + 3] = hasAlpha ? (rows[from + channels - 1] ?? 255) : 255
    }
  }
  return rgba
}

function unreadable(name: string, why: string, cause?: unknown): OpError {
  const message = `${name} cannot be read as a PNG: ${why}`
  return new OpError('picture_unreadable', message, { file: name }, { cause })
}
