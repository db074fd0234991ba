import { inflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** 0xRRGGBB, row by row. */
  readonly rgb: Uint32Array
}

const SIGNATURE_BYTES = 8
const HEADER = 0x4948_4452 // IHDR
const DATA = 0x4944_4154 // IDAT
const TRUE_COLOR = 2
const TRUE_COLOR_ALPHA = 6

/** Where so many pixels are put. */
export type PixelPlace = (count: number) => Uint32Array

/** Reads a PNG as Chromium writes them: 8 bits a channel, true colour, not interlaced. */
export function readPng(file: Buffer, place: PixelPlace = (count) => new Uint32Array(count)): Pixels {
  let width = 0
  let height = 0
  let channels = 0
  const parts: Buffer[] = []
  for (let offset = SIGNATURE_BYTES; offset + 12 <= file.length;) {
    const length = file.readUInt32BE(offset)
    const type = file.readUInt32BE(offset + 4)
    const start = offset + 8
    if (type === HEADER) {
      width = file.readUInt32BE(start)
      height = file.readUInt32BE(start + 4)
      channels = channelsOf(file.subarray(start, start + length))
    } else if (type === DATA) {
      parts.push(file.subarray(start, start + length))
    }
    offset = start + length + 4
  }
  const [only] = parts
  const packed = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
  // In one piece: by default zlib grows its output 16 KiB at a time.
  const raw = inflateSync(packed, { chunkSize: Math.max(64, height * (width * channels + 1)) })
  const rgb = place(width * height)
  if (isAllUp(raw, width * channels + 1)) packUp(raw, rgb, { width, height, channels })
  else {
    unfilter(raw, width * channels, height, channels)
    packPixels(raw, rgb, { width, height, channels })
  }
  return { width, height, rgb }
}

interface Shape {
  readonly width: number
  readonly height: number
  readonly channels: number
}

const UP = 2

/** Whether every row is told by its difference to the one above: so Chromium writes when it is to be fast. */
function isAllUp(raw: Buffer, stride: number): boolean {
  for (let start = 0; start < raw.length; start += stride) if (raw[start] !== UP) return false
  return true
}

/** Undoes that filter while pixels are packed, three channels in one addition: half the time of one after the other. */
function packUp(raw: Buffer, rgb: Uint32Array, { width, height, channels }: Shape): void {
  const above = new Uint32Array(width) // nothing is above the first row
  let at = 0
  let i = 0
  for (let y = 0; y < height; y++) {
    i++ // the filter's own byte
    for (let x = 0; x < width; x++, i += channels) {
      const change = ((raw[i] ?? 0) << 16) | ((raw[i + 1] ?? 0) << 8) | (raw[i + 2] ?? 0)
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

function channelsOf(header: Buffer): number {
  const [depth, colorType, , , interlace] = header.subarray(8)
  if (depth === 8 && interlace === 0 && colorType === TRUE_COLOR) return 3
  if (depth === 8 && interlace === 0 && colorType === TRUE_COLOR_ALPHA) return 4
  throw new RangeError(`not a PNG of Chromium's kind: depth ${depth}, colour type ${colorType}`)
}

/** Undoes the filters of the PNG specification (section 9) in place. */
function unfilter(raw: Buffer, stride: number, height: number, channels: number): void {
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1) + 1
    const end = start + stride
    const up = y === 0 ? 0 : stride + 1 // the distance to the row above
    switch (raw[start - 1]) {
      case 1:
        for (let i = start + channels; i < end; i++) raw[i] = (raw[i] ?? 0) + (raw[i - channels] ?? 0)
        break
      case 2:
        if (up > 0) for (let i = start; i < end; i++) raw[i] = (raw[i] ?? 0) + (raw[i - up] ?? 0)
        break
      case 3:
        average(raw, start, end, { up, channels })
        break
      case 4:
        paeth(raw, start, end, { up, channels })
        break
      default:
        break // 0: as it is
    }
  }
}

function average(
  raw: Buffer,
  start: number,
  end: number,
  { up, channels }: { up: number; channels: number },
): void {
  for (let i = start; i < end; i++) {
    const left = i - start >= channels ? (raw[i - channels] ?? 0) : 0
    const above = up > 0 ? (raw[i - up] ?? 0) : 0
    raw[i] = (raw[i] ?? 0) + ((left + above) >> 1)
  }
}

function paeth(
  raw: Buffer,
  start: number,
  end: number,
  { up, channels }: { up: number; channels: number },
): void {
  for (let i = start; i < end; i++) {
    const inside = i - start >= channels
    const left = inside ? (raw[i - channels] ?? 0) : 0
    const above = up > 0 ? (raw[i - up] ?? 0) : 0
    const corner = inside && up > 0 ? (raw[i - up - channels] ?? 0) : 0
    const toLeft = Math.abs(above - corner)
    const toAbove = Math.abs(left - corner)
    const toCorner = Math.abs(left + above - 2 * corner)
    const nearest = toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner
    raw[i] = (raw[i] ?? 0) + nearest
  }
}

function packPixels(raw: Buffer, rgb: Uint32Array, { width, height, channels }: Shape): void {
  let at = 0
  for (let y = 0; y < height; y++) {
    const start = y * (width * channels + 1) + 1
    for (let i = start; i < start + width * channels; i += channels) {
      rgb[at++] = ((raw[i] ?? 0) << 16) | ((raw[i + 1] ?? 0) << 8) | (raw[i + 2] ?? 0)
    }
  }
}
