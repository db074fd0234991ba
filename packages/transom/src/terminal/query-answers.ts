/**
 * What the emulator says about itself when a program asks. Pure texts; when they are given is decided by the
 * emulator (in order with the program's output) and whether they are sent by the live host (never in a replay).
 */
const ESC = '\x1b'
const CSI = `${ESC}[`
const DCS = `${ESC}P`
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
