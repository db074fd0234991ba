import type { Grid } from '@transom/grid'
import { styledRuns } from '../../session/styled-runs.ts'

export type ColorDepth = 'none' | '256' | 'true'

/** What a terminal can show, by what it says of itself. */
export function colorDepth(env: NodeJS.ProcessEnv): ColorDepth {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return 'none'
  return /truecolor|24bit/.test(env['COLORTERM'] ?? '') || /direct|kitty|ghostty/.test(env['TERM'] ?? '')
    ? 'true'
    : '256'
}

/** A row of the page for a terminal: the text, and colours as SGR sequences; nothing else a terminal would obey. */
export function ansiRow(grid: Grid, rowIndex: number, depth: ColorDepth): string {
  // Erased first: after a full row the cursor stands on its last cell, and would erase that.
  let row = '\u001b[0m\u001b[2K'
  let col = 0
  for (const run of styledRuns(grid, rowIndex)) {
    if (run.col > col) row += ' '.repeat(run.col - col)
    const codes = depth === 'none' ? [] : [...colorCodes(38, run.fg, depth), ...colorCodes(48, run.bg, depth)]
    row += `\u001b[${['0', ...codes].join(';')}m${run.text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')}`
    col = run.col + run.width
  }
  return `${row}\u001b[0m`
}

function colorCodes(base: 38 | 48, color: number | string | undefined, depth: ColorDepth): string[] {
  if (color === undefined) return []
  if (typeof color === 'number') return [`${base};5;${color}`]
  const rgb = Number.parseInt(color.slice(1), 16)
  const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff]
  return depth === 'true'
    ? [`${base};2;${red};${green};${blue}`]
    : [`${base};5;${nearest256(red, green, blue)}`]
}

/** The nearest of xterm's 6 × 6 × 6 cube and 24 greys. */
function nearest256(red: number, green: number, blue: number): number {
  const level = (value: number) => (value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40))
  const [r, g, b] = [level(red), level(green), level(blue)]
  const shade = (it: number) => (it === 0 ? 0 : 55 + it * 40)
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)))
  const far = (x: number, y: number, z: number) => (red - x) ** 2 + (green - y) ** 2 + (blue - z) ** 2
  const greyShade = 8 + grey * 10
  const cubeIsNearer = far(shade(r), shade(g), shade(b)) <= far(greyShade, greyShade, greyShade)
  return cubeIsNearer ? 16 + 36 * r + 6 * g + b : 232 + grey
}
