import { parseKeys, type KeyPress } from '../../terminal/key-names.ts'

/** What a person did at the terminal. */
export type TerminalInput =
  | { readonly type: 'key'; readonly name: string; readonly press: KeyPress }
  | { readonly type: 'paste'; readonly text: string }
  | {
      readonly type: 'mouse'
      readonly action: 'down' | 'up' | 'move' | 'wheel'
      readonly row: number
      readonly col: number
      readonly button: 'left' | 'middle' | 'right'
      /** Rows, for the wheel. */
      readonly delta: number
    }

const PASTE_BEGIN = '\u001b[200~'
const PASTE_END = '\u001b[201~'
const WHEEL_ROWS = 3
/** A sequence that does not end is no sequence. */
const UNREAD_CHARS_MAX = 1 << 20

const FINAL_KEYS: Readonly<Record<string, string>> = {
  A: 'Up',
  B: 'Down',
  C: 'Right',
  D: 'Left',
  H: 'Home',
  F: 'End',
  P: 'F1',
  Q: 'F2',
  R: 'F3',
  S: 'F4',
}
const TILDE_KEYS: Readonly<Record<string, string>> = {
  1: 'Home',
  2: 'Insert',
  3: 'Delete',
  4: 'End',
  5: 'PageUp',
  6: 'PageDown',
  7: 'Home',
  8: 'End',
  15: 'F5',
  17: 'F6',
  18: 'F7',
  19: 'F8',
  20: 'F9',
  21: 'F10',
  23: 'F11',
  24: 'F12',
}
const CONTROL_KEYS: Readonly<Record<string, string>> = {
  '\r': 'Enter',
  '\n': 'Enter',
  '\t': 'Tab',
  '\u0008': 'Backspace',
  '\u007f': 'Backspace',
  '\u001b': 'Escape',
}

/** Reads what a terminal sends: keys as xterm encodes them, SGR mouse reports, bracketed pastes. */
export class TerminalInputReader {
  #rest = ''

  read(chunk: string): TerminalInput[] {
    this.#rest += chunk
    const inputs: TerminalInput[] = []
    while (this.#rest !== '') {
      const step = readOne(this.#rest)
      if (step === null && this.#rest.length < UNREAD_CHARS_MAX) break // the rest is on its way
      const { length, input } = step ?? { length: this.#rest.length, input: null }
      if (input !== null) inputs.push(input)
      this.#rest = this.#rest.slice(length)
    }
    return inputs
  }
}

interface Step {
  readonly length: number
  readonly input: TerminalInput | null
}

function readOne(text: string): Step | null {
  if (text.startsWith(PASTE_BEGIN)) {
    const end = text.indexOf(PASTE_END)
    if (end < 0) return null
    return {
      length: end + PASTE_END.length,
      input: { type: 'paste', text: text.slice(PASTE_BEGIN.length, end) },
    }
  }
  const mouse = /^\u001b\[<(\d+);(\d+);(\d+)([Mm])/.exec(text)
  if (mouse !== null) return { length: mouse[0].length, input: readMouse(mouse) }
  const csi = /^\u001b(?:\[|O)([\d;]*)([A-Za-z~])/.exec(text)
  if (csi !== null) return { length: csi[0].length, input: readSequence(csi[1] ?? '', csi[2] ?? '') }
  // A whole sequence comes in one piece almost always; Escape alone is a piece of its own.
  if (/^\u001b(?:\[[<\d;]*|O)$/.test(text) && text.length > 1) return null
  if (text.length > 1 && text.startsWith('\u001b') && text[1] !== '\u001b') {
    const character = String.fromCodePoint(text.codePointAt(1) ?? 0)
    return { length: 1 + character.length, input: keyInput(`Alt+${nameOf(character)}`) }
  }
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0)
  return { length: character.length, input: keyInput(nameOf(character)) }
}

function nameOf(character: string): string {
  const known = CONTROL_KEYS[character]
  if (known !== undefined) return known
  const code = character.charCodeAt(0)
  if (code === 0) return 'Ctrl+Space'
  if (code < 0x20) return `Ctrl+${String.fromCharCode(code + 0x60)}`
  return character === ' ' ? 'Space' : character
}

function readSequence(params: string, final: string): TerminalInput | null {
  const [first = '', modifier = ''] = params.split(';')
  if (final === 'Z') return keyInput('Shift+Tab')
  const key = final === '~' ? TILDE_KEYS[first] : FINAL_KEYS[final]
  if (key === undefined) return null
  const bits = Math.max(0, Number(modifier || '1') - 1)
  return keyInput(`${bits & 4 ? 'Ctrl+' : ''}${bits & 2 ? 'Alt+' : ''}${bits & 1 ? 'Shift+' : ''}${key}`)
}

function keyInput(name: string): TerminalInput | null {
  try {
    const [press] = parseKeys([name])
    return press === undefined ? null : { type: 'key', name, press }
  } catch {
    return null // a control character that no key has
  }
}

function readMouse([, code = '0', col = '1', row = '1', final]: readonly string[]): TerminalInput {
  const bits = Number(code)
  const at = { type: 'mouse', row: Number(row) - 1, col: Number(col) - 1 } as const
  const button = (['left', 'middle', 'right'] as const)[bits & 3] ?? 'left'
  if ((bits & 64) !== 0)
    return { ...at, action: 'wheel', button: 'left', delta: (bits & 1) === 0 ? -WHEEL_ROWS : WHEEL_ROWS }
  if ((bits & 32) !== 0) return { ...at, action: 'move', button, delta: 0 }
  return { ...at, action: final === 'M' ? 'down' : 'up', button, delta: 0 }
}
