/**
 * What the emulator says about itself when a program asks. Pure texts; when they are given is decided by the
 * emulator (in order with the program's output) and whether they are sent by the live host (never in a replay).
 */
import { DARK_BACKGROUND, DARK_FOREGROUND, paletteColor } from '../grid/dark-palette.ts'

const ESC = '\x1b'
const CSI = `${ESC}[`
const DCS = `${ESC}P`
const OSC = `${ESC}]`
const ST = `${ESC}\\`

/** The nominal size of a cell, for programs that ask for pixels. */
const CELL_WIDTH_PX = 8
const CELL_HEIGHT_PX = 16

const VERSION_NUMBER = 100 // DA2's firmware field: programs compare it with xterm patch levels, and 95 is the least they look for

/** DA1: a VT220 with ANSI colour. */
export const primaryAttributes = `${CSI}?62;22c`
/** DA2: VT220, version, no cartridge. */
export const secondaryAttributes = `${CSI}>1;${VERSION_NUMBER};0c`
/** DA3: a unit id of zeros, as every emulator answers. */
export const tertiaryAttributes = `${DCS}!|00000000${ST}`
/** XTVERSION. */
export const terminalVersion = `${DCS}>|transom(1)${ST}`

export function kittyFlags(flags: number): string {
  return `${CSI}?${flags}u`
}

export function modifyOtherKeys(level: number): string {
  return `${CSI}>4;${level}m`
}

/** DECXCPR, from 1: the extended cursor report, page 1. */
export function extendedCursorPosition(row: number, col: number): string {
  return `${CSI}?${row};${col};1R`
}

/** XTWINOPS 14, 16, 18 and 19: text area in pixels, cell in pixels, text area in cells, screen in cells. */
export function windowReport(operation: number, cols: number, rows: number): string | null {
  switch (operation) {
    case 14:
      return `${CSI}4;${rows * CELL_HEIGHT_PX};${cols * CELL_WIDTH_PX}t`
    case 16:
      return `${CSI}6;${CELL_HEIGHT_PX};${CELL_WIDTH_PX}t`
    case 18:
      return `${CSI}8;${rows};${cols}t`
    case 19:
      return `${CSI}9;${rows};${cols}t`
    default:
      return null
  }
}

/** Default foreground, background and cursor of the dark theme that pictures are drawn in. */
const DYNAMIC_COLORS: Readonly<Record<number, number>> = {
  10: DARK_FOREGROUND,
  11: DARK_BACKGROUND,
  12: DARK_FOREGROUND,
}

/** OSC 10, 11 and 12 with `?`. One query may ask for the following colours too: `10;?;?`. */
export function dynamicColorAnswer(first: number, data: string): string | null {
  const parts = data.split(';')
  const answers = parts.map((part, index) => {
    const rgb = DYNAMIC_COLORS[first + index]
    return part === '?' && rgb !== undefined ? `${OSC}${first + index};${rgbText(rgb)}${ST}` : ''
  })
  return answers.join('') || null
}

/** OSC 4 with `?`: `index;?` pairs. */
export function paletteAnswer(data: string): string | null {
  const parts = data.split(';')
  let answers = ''
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const index = Number(parts[at])
    if (parts[at + 1] !== '?' || !Number.isInteger(index) || index < 0 || index > 255) continue
    answers += `${OSC}4;${index};${rgbText(paletteColor(index))}${ST}`
  }
  return answers || null
}

function rgbText(rgb: number): string {
  const channel = (shift: number) => ((rgb >> shift) & 0xff).toString(16).padStart(2, '0').repeat(2)
  return `rgb:${channel(16)}/${channel(8)}/${channel(0)}`
}

/** Terminfo capabilities that programs ask for by XTGETTCAP. */
const CAPABILITIES: Readonly<Record<string, string>> = {
  TN: 'xterm-256color',
  name: 'xterm-256color',
  Co: '256',
  colors: '256',
  RGB: '8/8/8',
  Tc: '',
  Su: '',
}

/** XTGETTCAP: names in hexadecimal, separated by semicolons; each is answered by itself. */
export function capabilityAnswers(data: string): string {
  return data
    .split(';')
    .map((encodedName) => {
      const name = fromHex(encodedName)
      const value = name === null ? undefined : CAPABILITIES[name]
      if (value === undefined) return `${DCS}0+r${safeHex(encodedName)}${ST}`
      return `${DCS}1+r${safeHex(encodedName)}${value === '' ? '' : `=${toHex(value)}`}${ST}`
    })
    .join('')
}

function fromHex(text: string): string | null {
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(text)) return null
  return text.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)))
}

/** What the program sent comes back to it only when it is what it should be: nothing else is ever typed for it. */
function safeHex(text: string): string {
  return /^[0-9a-fA-F]{1,256}$/.test(text) ? text : ''
}

function toHex(text: string): string {
  return Array.from(text, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
