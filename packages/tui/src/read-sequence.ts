import { NO_MODIFIERS, keyEvent, type InputEvent, type Modifiers, type MouseButton } from './input-events.ts'
import { CONSOLE_KEYS, KEYPAD_KEYS, KITTY_KEYS, LETTER_KEYS, NUMBER_KEYS, RXVT_ARROWS } from './key-tables.ts'

const PRIVATE_USE_FIRST = 57344
const PRIVATE_USE_LAST = 63743
const RELEASE = 3
/** `CSI 1 ; modifiers R` with more than this is the answer to a query for the cursor's position. */
const MODIFIERS_MAX = 16

/** What `CSI body` means, where the body ends in its final character; null for nothing that we know. */
export function readControlSequence(body: string, alt = false): InputEvent | null {
  const final = body.at(-1) ?? ''
  const params = body.slice(0, -1)
  if (params.startsWith('<')) return readSgrMouse(params.slice(1), final)
  if (params === '[') return key(CONSOLE_KEYS[final], NO_MODIFIERS, alt)
  if (!/^[\d;:]*$/.test(params)) return { type: 'report', sequence: `\u001b[${body}` }
  const [first = [], second = [], third = []] = params
    .split(';')
    .map((part) => part.split(':').map((digits) => (digits === '' ? 0 : Number(digits))))
  const modifiers = modifiersOf(second[0] ?? 0)
  const event = readKnown(final, { first, second, third, modifiers, alt })
  if (event === undefined) return { type: 'report', sequence: `\u001b[${body}` }
  const isRelease = event?.type === 'key' && second[1] === RELEASE
  return isRelease ? { type: 'release', name: event.name } : event
}

interface Parameters {
  readonly first: readonly number[]
  readonly second: readonly number[]
  readonly third: readonly number[]
  readonly modifiers: Modifiers
  readonly alt: boolean
}

/** Null for a sequence to ignore, undefined for one that is not a key. */
function readKnown(final: string, it: Parameters): InputEvent | null | undefined {
  const { first, second, third, modifiers, alt } = it
  const number = first[0] ?? 0
  switch (final) {
    case '~':
      if (number === 27) return codeKey(third[0] ?? 0, modifiers, alt) // xterm's modifyOtherKeys
      return key(NUMBER_KEYS[number], modifiers, alt)
    case '$':
      return key(NUMBER_KEYS[number], { ...NO_MODIFIERS, shift: true }, alt)
    case '^':
      return key(NUMBER_KEYS[number], { ...NO_MODIFIERS, ctrl: true }, alt)
    case '@':
      return key(NUMBER_KEYS[number], { ...NO_MODIFIERS, ctrl: true, shift: true }, alt)
    case 'u':
      return readKitty(it)
    case 'Z':
      return key('Tab', { ...modifiers, shift: true }, alt)
    case 'I':
    case 'O':
      return { type: 'focus', focused: final === 'I' }
    case 't':
      return number === 48 && (second[0] ?? 0) > 0 && (third[0] ?? 0) > 0
        ? { type: 'resize', rows: second[0] ?? 0, cols: third[0] ?? 0 }
        : undefined
    case 'M':
      // urxvt's mouse reports: as the oldest ones, in digits.
      return mouseEvent(number - 32, { col: (second[0] ?? 1) - 1, row: (third[0] ?? 1) - 1, up: false })
    case 'R':
      if (number > 1 || (second[0] ?? 0) > MODIFIERS_MAX) return undefined
      return key('F3', modifiers, alt)
    default:
      if (RXVT_ARROWS[final] !== undefined)
        return key(RXVT_ARROWS[final], { ...NO_MODIFIERS, shift: true }, alt)
      return LETTER_KEYS[final] === undefined ? undefined : key(LETTER_KEYS[final], modifiers, alt)
  }
}

/** What `SS3 final` means. */
export function readSingleShift(final: string, alt = false): InputEvent | null {
  const arrow = RXVT_ARROWS[final]
  if (arrow !== undefined) return key(arrow, { ...NO_MODIFIERS, ctrl: true }, alt)
  return key(LETTER_KEYS[final] ?? KEYPAD_KEYS[final], NO_MODIFIERS, alt)
}

/** What a character means that no sequence is made of. Null for one that no key sends. */
export function readCharacter(character: string, alt = false): InputEvent | null {
  const code = character.codePointAt(0) ?? 0
  const control = (name: string) => key(name, { ...NO_MODIFIERS, ctrl: true }, alt)
  if (code === 0x0d || code === 0x0a) return key('Enter', NO_MODIFIERS, alt)
  if (code === 0x09) return key('Tab', NO_MODIFIERS, alt)
  if (code === 0x08 || code === 0x7f) return key('Backspace', NO_MODIFIERS, alt)
  if (code === 0x1b) return key('Escape', NO_MODIFIERS, alt)
  if (code === 0) return control(' ')
  if (code < 0x1b) return control(String.fromCharCode(code + 0x60))
  if (code < 0x20) return control(String.fromCharCode(code + 0x40))
  if ((code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000)) return null
  return key(character, NO_MODIFIERS, alt)
}

/** A report of the oldest kind: three characters after `CSI M`. */
export function readOldMouse(report: string): InputEvent {
  const [bits = 0, col = 0, row = 0] = Array.from(report, (character) => (character.codePointAt(0) ?? 0) - 32)
  return mouseEvent(bits, { col: col - 1, row: row - 1, up: false })
}

function readSgrMouse(params: string, final: string): InputEvent | null {
  if (!/^\d+;\d+;\d+$/.test(params) || (final !== 'M' && final !== 'm')) return null
  const [bits = 0, col = 1, row = 1] = params.split(';').map(Number)
  return mouseEvent(bits, { col: col - 1, row: row - 1, up: final === 'm' })
}

function mouseEvent(bits: number, { col, row, up }: { col: number; row: number; up: boolean }): InputEvent {
  const modifiers = {
    shift: (bits & 4) !== 0,
    alt: (bits & 8) !== 0,
    ctrl: (bits & 16) !== 0,
    super: false,
  }
  const place = { row: Math.max(0, row), col: Math.max(0, col), ...modifiers }
  const still = { type: 'mouse', wheelRows: 0, wheelCols: 0, ...place } as const
  if ((bits & 64) !== 0) {
    const step = (bits & 1) === 0 ? -1 : 1
    const isSideways = (bits & 2) !== 0
    const turn = { wheelRows: isSideways ? 0 : step, wheelCols: isSideways ? step : 0 }
    return { ...still, action: 'wheel', button: 'none', ...turn }
  }
  const extra = ['back', 'forward', 'none', 'none'] as const
  const button: MouseButton =
    ((bits & 128) !== 0 ? extra : (['left', 'middle', 'right', 'none'] as const))[bits & 3] ?? 'none'
  if ((bits & 32) !== 0) return { ...still, action: 'move', button }
  // The old reports do not tell which button was released.
  return { ...still, action: up || button === 'none' ? 'up' : 'down', button }
}

function readKitty({ first, modifiers, third, alt }: Parameters): InputEvent | null {
  const [code = 0, withShift = 0] = first
  const typed = third.filter((it) => it > 0).map(characterOf)
  if (typed.length > 0) return codeKey(code, modifiers, alt, typed.join(''))
  return codeKey(code, modifiers, alt, modifiers.shift && withShift > 0 ? characterOf(withShift) : undefined)
}

function codeKey(code: number, modifiers: Modifiers, alt: boolean, text?: string): InputEvent | null {
  const name = KITTY_KEYS[code]
  if (name !== undefined) return key(name, modifiers, alt)
  const isPrivate = code >= PRIVATE_USE_FIRST && code <= PRIVATE_USE_LAST
  if (code < 0x20 || isPrivate || characterOf(code) === '') return null
  return keyEvent(characterOf(code), { ...modifiers, alt: modifiers.alt || alt }, text)
}

function key(name: string | undefined, modifiers: Modifiers, alt: boolean): InputEvent | null {
  return name === undefined ? null : keyEvent(name, alt ? { ...modifiers, alt: true } : modifiers)
}

/** Empty for what is no character: sequences come from outside. */
function characterOf(code: number): string {
  return code > 0x10_ffff || (code >= 0xd800 && code < 0xe000) ? '' : String.fromCodePoint(code)
}

function modifiersOf(parameter: number): Modifiers {
  const bits = Math.max(0, parameter - 1)
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0,
    ctrl: (bits & 4) !== 0,
    super: (bits & 8) !== 0,
  }
}
