import { inflateSync } from 'node:zlib'
import { OpError } from '@transom/protocol/errors'
import { PNG_SIGNATURE, concatBytes } from './png-chunks.ts'
import { createRaster, type Raster } from './raster.ts'

/** Past this a picture is no screenshot, and its pixels would fill the memory. */
const PIXELS_MAX = 100_000_000
/** How many channels a colour type has, for 8 bits each. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

interface Parts {
  readonly width: number
  readonly height: number
  readonly type: number
  readonly palette: Uint8Array
  readonly alphas: Uint8Array
  readonly data: Uint8Array
}

/** Reads a PNG with 8 bits a channel, not interlaced: all that we write and most that others do. */
export function decodePng(bytes: Uint8Array, name: string): Raster {
  const parts = readParts(bytes, name)
  const { width, height, type } = parts
  const channels = CHANNELS[type] ?? 0
  let rows: Uint8Array
  try {
    rows = inflateSync(parts.data, { maxOutputLength: height * (width * channels + 1) })
  } catch (error) {
    throw unreadable(name, 'its pixels are damaged', error)
  }
  if (rows.length < height * (width * channels + 1)) throw unreadable(name, 'it is cut off')
  unfilter(rows, { height, rowBytes: width * channels, step: channels }, name)
  return toRaster(rows, parts, channels)
}

function readParts(bytes: Uint8Array, name: string): Parts {
  if (!PNG_SIGNATURE.every((byte, index) => bytes[index] === byte)) throw unreadable(name, 'it is no PNG')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks = new Map<string, Uint8Array[]>()
  for (let at = PNG_SIGNATURE.length; at + 12 <= bytes.length;) {
    const length = view.getUint32(at)
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    chunks.set(kind, [...(chunks.get(kind) ?? []), bytes.subarray(at + 8, at + 8 + length)])
    at += 12 + length
  }
  const header = chunks.get('IHDR')?.[0]
  if (header?.length !== 13) throw unreadable(name, 'it has no header')
  const size = new DataView(header.buffer, header.byteOffset, header.length)
  const [width, height, type] = [size.getUint32(0), size.getUint32(4), header[9] ?? -1]
  if (width === 0 || height === 0 || width * height > PIXELS_MAX)
    throw unreadable(name, `it has ${width} × ${height} pixels`)
  if (header[8] !== 8 || header[12] !== 0 || CHANNELS[type] === undefined)
    throw unreadable(name, 'only 8 bits a channel without interlacing are read')
  const whole = (kind: string) => concatBytes(chunks.get(kind) ?? [])
  return { width, height, type, palette: whole('PLTE'), alphas: whole('tRNS'), data: whole('IDAT') }
}

/** Undoes the filter of each row (PNG specification, 9.2), in place. */
function unfilter(
  rows: Uint8Array,
  { height, rowBytes, step }: { height: number; rowBytes: number; step: number },
  name: string,
): void {
  for (let y = 0; y < height; y++) {
    const start = y * (rowBytes + 1) + 1
    const filter = rows[start - 1] ?? 0
    if (filter > 4) throw unreadable(name, `row ${y} has the unknown filter ${filter}`)
    if (filter === 0) continue
    for (let x = 0; x < rowBytes; x++) {
      const left = x >= step ? (rows[start + x - step] ?? 0) : 0
      const up = y > 0 ? (rows[start + x - rowBytes - 1] ?? 0) : 0
      const upLeft = x >= step && y > 0 ? (rows[start + x - step - rowBytes - 1] ?? 0) : 0
      rows[start + x] = (rows[start + x] ?? 0) + predicted(filter, left, up, upLeft)
    }
  }
}

function predicted(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const guess = left + up - upLeft
  const [toLeft, toUp, toUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)]
  if (toLeft <= toUp && toLeft <= toUpLeft) return left
  return toUp <= toUpLeft ? up : upLeft
}

function toRaster(
  rows: Uint8Array,
  { width, height, type, palette, alphas }: Parts,
  channels: number,
): Raster {
  const { rgba, ...raster } = createRaster(width, height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * (width * channels + 1) + 1 + x * channels
      const to = (y * width + x) * 4
      const value = rows[from] ?? 0
      const hasColors = type === 2 || type === 6
      for (let channel = 0; channel < 3; channel++) {
        if (type === 3) rgba[to + channel] = palette[value * 3 + channel] ?? 0
        else rgba[to + channel] = hasColors ? (rows[from + channel] ?? 0) : value
      }
      const hasAlpha = type === 4 || type === 6
      if (type === 3) rgba[to + 3] = alphas[value] ?? 255
      else rgba[to + 3] = hasAlpha ? (rows[from + channels - 1] ?? 255) : 255
    }
  }
  return { width: raster.width, height: raster.height, rgba }
}

function unreadable(name: string, why: string, cause?: unknown): OpError {
  return new OpError(
    'picture_unreadable',
    `${name} cannot be read as a PNG: ${why}`,
    { file: name },
    { cause },
  )
}
