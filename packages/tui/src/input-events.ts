export interface Modifiers {
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
  readonly super: boolean
}

/** A key that was pressed, or that repeats while it is held. */
export interface KeyEvent extends Modifiers {
  readonly type: 'key'
  /** The modifiers and the key: `a`, `A`, `Ctrl+c`, `Alt+Left`, `Shift+Tab`, `Space`, `F5`. */
  readonly name: string
  /** The key alone: a character, or a name such as `Left`. */
  readonly key: string
  /** What the key types; empty for a key that types nothing. */
  readonly text: string
}

export interface PasteEvent {
  readonly type: 'paste'
  /** As it was pasted, control characters included. A very long paste comes as several events. */
  readonly text: string
}

export type MouseButton = 'left' | 'middle' | 'right' | 'back' | 'forward' | 'none'

export interface MouseEvent extends Modifiers {
  readonly type: 'mouse'
  readonly action: 'down' | 'up' | 'move' | 'wheel'
  readonly button: MouseButton
  readonly row: number
  readonly col: number
  /** Notches of the wheel: down and right are positive. */
  readonly wheelRows: number
  readonly wheelCols: number
}

/** What a person did at a terminal. */
export type InputEvent =
  | KeyEvent
  /** A key that was released; only a terminal that was asked to reports it. */
  | { readonly type: 'release'; readonly name: string }
  | PasteEvent
  | MouseEvent
  | { readonly type: 'focus'; readonly focused: boolean }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  /** What the terminal answers to a query, as it was sent. */
  | { readonly type: 'report'; readonly sequence: string }

export const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false, shift: false, super: false }

/** A key with its name. Shift and a character are the character that they type, where that is known. */
export function keyEvent(key: string, modifiers: Modifiers = NO_MODIFIERS, text?: string): KeyEvent {
  const { ctrl, alt, super: isSuper } = modifiers
  const isCharacter = isOneCharacter(key)
  const typed = text ?? (isCharacter ? (modifiers.shift ? shifted(key) : key) : '')
  const hasCommand = ctrl || alt || isSuper
  const folds = isCharacter && modifiers.shift && !hasCommand && typed !== key && isOneCharacter(typed)
  const held = folds ? { ...modifiers, shift: false } : modifiers
  const named = folds ? typed : key
  const prefix = `${ctrl ? 'Ctrl+' : ''}${alt ? 'Alt+' : ''}${held.shift ? 'Shift+' : ''}${isSuper ? 'Super+' : ''}`
  const name = prefix + (named === ' ' ? 'Space' : named)
  return { type: 'key', name, key: named, ...held, text: hasCommand ? '' : typed }
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
}

function shifted(character: string): string {
  const capital = character.toUpperCase()
  return capital.toLowerCase() === character ? capital : character
}
