import { square, type MaskCanvas } from './mask-canvas.ts'

export const BOX_DRAWING_FIRST = 0x2500
export const BOX_DRAWING_LAST = 0x257f

/**
 * U+2500–257F as weights of the arms to the left, right, up and down: 0 none, 1 light, 2 heavy, 3 double. Dots stand
 * for those that are no arms: dashes, arcs and diagonals.
 */
const ARMS = [
  '1100 2200 0011 0022 .... .... .... .... .... .... .... .... 0101 0201 0102 0202',
  '1001 2001 1002 2002 0110 0210 0120 0220 1010 2010 1020 2020 0111 0211 0121 0112',
  '0122 0221 0212 0222 1011 2011 1021 1012 1022 2021 2012 2022 1101 2101 1201 2201',
  '1102 2102 1202 2202 1110 2110 1210 2210 1120 2120 1220 2220 1111 2111 1211 2211',
  '1121 1112 1122 2121 1221 2112 1212 2221 2212 2122 1222 2222 .... .... .... ....',
  '3300 0033 0301 0103 0303 3001 1003 3003 0310 0130 0330 3010 1030 3030 0311 0133',
  '0333 3011 1033 3033 3301 1103 3303 3310 1130 3330 3311 1133 3333 .... .... ....',
  '.... .... .... .... 1000 0010 0100 0001 2000 0020 0200 0002 1200 0012 2100 0021',
]
  .join(' ')
  .split(' ')

const LIGHT = 1
const HEAVY = 2
const DOUBLE = 3

/** Draws a character of U+2500–257F; `light` is the thickness of a light line in pixels. */
export function drawBox(canvas: MaskCanvas, codePoint: number, light: number): void {
  const arms = ARMS[codePoint - BOX_DRAWING_FIRST] ?? ''
  if (!arms.startsWith('.')) drawArms(canvas, Array.from(arms, Number), light)
  else if (codePoint >= 0x2571 && codePoint <= 0x2573) drawDiagonals(canvas, codePoint, light)
  else if (codePoint >= 0x256d && codePoint <= 0x2570) drawArc(canvas, codePoint, light)
  else drawDashes(canvas, codePoint, light)
}

/** One axis of a cell: how far it reaches, and where lines across it lie. */
interface Axis {
  readonly size: number
  readonly light: number
  /** Where a line of this thickness, across this axis and in its middle, begins. */
  readonly start: (thickness: number) => number
}

function axisOf(size: number, light: number): Axis {
  const start = (thickness: number) => (size - thickness) >> 1
  return { size, light, start }
}

function thicknessOf(weight: number, light: number): number {
  return weight === LIGHT ? light : weight === 0 ? 0 : light * 3 // heavy, or two light lines and a gap
}

function drawArms(canvas: MaskCanvas, arms: readonly number[], light: number): void {
  const [left = 0, right = 0, up = 0, down = 0] = arms
  const x = axisOf(canvas.width, light)
  const y = axisOf(canvas.height, light)
  const horizontal = (from: number, to: number, top: number, bottom: number) =>
    canvas.rect(from, top, to, bottom)
  const vertical = (from: number, to: number, top: number, bottom: number) =>
    canvas.rect(top, from, bottom, to)
  drawArm({ weight: left, opposite: right, before: up, after: down, along: x, across: y, paint: horizontal })
  drawArm({ weight: up, opposite: down, before: left, after: right, along: y, across: x, paint: vertical })
  // To the right and down: the same, seen from the other end.
  const mirroredX = (from: number, to: number, top: number, bottom: number) =>
    canvas.rect(canvas.width - to, top, canvas.width - from, bottom)
  const mirroredY = (from: number, to: number, top: number, bottom: number) =>
    canvas.rect(top, canvas.height - to, bottom, canvas.height - from)
  const farX = mirrored(x)
  const farY = mirrored(y)
  drawArm({
    weight: right,
    opposite: left,
    before: up,
    after: down,
    along: farX,
    across: y,
    paint: mirroredX,
  })
  drawArm({
    weight: down,
    opposite: up,
    before: left,
    after: right,
    along: farY,
    across: x,
    paint: mirroredY,
  })
}

/** The same axis counted from its far end: in an even size the middle of an odd thickness lies elsewhere. */
function mirrored({ size, light, start }: Axis): Axis {
  return { size, light, start: (thickness) => size - start(thickness) - thickness }
}

interface Arm {
  readonly weight: number
  readonly opposite: number
  /** The weights of the arms across: the one towards the start of `across`, and the one towards its end. */
  readonly before: number
  readonly after: number
  readonly along: Axis
  readonly across: Axis
  paint(from: number, to: number, top: number, bottom: number): void
}

/** Draws an arm from the near edge inwards. */
function drawArm(arm: Arm): void {
  const { weight, across } = arm
  const { light } = across
  if (weight === 0) return
  if (weight !== DOUBLE) {
    const thickness = thicknessOf(weight, light)
    const top = across.start(thickness)
    arm.paint(0, reachOf(arm), top, top + thickness)
    return
  }
  const top = across.start(light * 3)
  arm.paint(0, stripReach(arm, arm.before, arm.after), top, top + light)
  arm.paint(0, stripReach(arm, arm.after, arm.before), top + light * 2, top + light * 3)
}

/** Where a light or heavy arm ends: it covers what crosses it, but stops at a double line that runs on. */
function reachOf({ before, after, opposite, along }: Arm): number {
  const { light } = along
  if (before === DOUBLE && after === DOUBLE && opposite === 0) return along.start(light * 3) + light
  const widest = Math.max(thicknessOf(before, light), thicknessOf(after, light), light)
  return along.start(widest) + widest
}

/** Where one line of a double arm ends. `near` is the arm across on its own side, `far` the other one. */
function stripReach({ opposite, along }: Arm, near: number, far: number): number {
  const { light } = along
  const double = along.start(light * 3)
  if (near === DOUBLE) return double + light // turns into the nearer line of that one
  if (near !== 0) return along.start(light) + light
  if (opposite !== 0) return along.start(light) + light // runs on
  if (far === DOUBLE) return double + light * 3 // the outer corner
  return along.start(light) + light
}

const DASHES: Readonly<Record<number, number>> = { 0x2504: 3, 0x2508: 4, 0x254c: 2 }

/** Three, four or two dashes: light and heavy, horizontal and vertical, in this order. */
function drawDashes(canvas: MaskCanvas, codePoint: number, light: number): void {
  const first = codePoint >= 0x254c ? 0x254c : codePoint >= 0x2508 ? 0x2508 : 0x2504
  const count = DASHES[first] ?? 0
  const thickness = thicknessOf((codePoint - first) & 1 ? HEAVY : LIGHT, light)
  const isVertical = ((codePoint - first) & 2) !== 0
  const length = isVertical ? canvas.height : canvas.width
  const across = ((isVertical ? canvas.width : canvas.height) - thickness) >> 1
  for (let dash = 0; dash < count; dash++) {
    // The gap lies at the end of each part, so that a line of such cells has equal gaps.
    const from = Math.floor((length * dash) / count)
    const gap = Math.max(light, Math.floor(length / count / 3))
    const to = Math.floor((length * (dash + 1)) / count) - gap
    if (isVertical) canvas.rect(across, from, across + thickness, to)
    else canvas.rect(from, across, to, across + thickness)
  }
}

/** ╭ ╮ ╯ ╰: a quarter of a circle as wide as half the cell, and a straight piece to the edge that is farther away. */
function drawArc(canvas: MaskCanvas, codePoint: number, light: number): void {
  const { width, height } = canvas
  const toRight = codePoint === 0x256d || codePoint === 0x2570
  const toBottom = codePoint === 0x256d || codePoint === 0x256e
  const x0 = (width - light) >> 1
  const y0 = (height - light) >> 1
  // In eighths of a pixel: the middle of the lines, the circle's radius, and its centre.
  const middleX = x0 * 8 + light * 4
  const middleY = y0 * 8 + light * 4
  const radius = toRight ? width * 8 - middleX : middleX
  const centerX = toRight ? middleX + radius : middleX - radius
  const centerY = toBottom ? middleY + radius : middleY - radius
  const inner = square(radius - light * 4)
  const outer = square(radius + light * 4)
  canvas.shape((x8, y8) => {
    if (toRight ? x8 > centerX : x8 < centerX) return false
    if (toBottom ? y8 > centerY : y8 < centerY) return false
    const distance = square(x8 - centerX) + square(y8 - centerY)
    return inner <= distance && distance <= outer
  })
  const turn = centerY >> 3
  if (toBottom) canvas.rect(x0, turn, x0 + light, height)
  else canvas.rect(x0, 0, x0 + light, turn)
}

/** ╱ ╲ ╳ from corner to corner. */
function drawDiagonals(canvas: MaskCanvas, codePoint: number, light: number): void {
  const width = canvas.width * 8
  const height = canvas.height * 8
  // |x·h − y·w| is the distance from the diagonal times its length; compared squared, to stay with integers.
  const limit = square(light * 4) * (width * width + height * height)
  const falls = codePoint !== 0x2571
  const rises = codePoint !== 0x2572
  canvas.shape((x8, y8) => {
    const fromFalling = square(x8 * height - y8 * width)
    const fromRising = square((width - x8) * height - y8 * width)
    return (falls && fromFalling <= limit) || (rises && fromRising <= limit)
  })
}
