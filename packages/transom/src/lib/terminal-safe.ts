/** C0 but for tab and line feed, DEL, and C1: U+009B begins a control sequence as `ESC [` does. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * Text for a person's terminal. Every program of ours passes what it prints through this, so that no name, message or
 * path can control the terminal. A control is spelled as JSON spells it: in JSON, where controls are only in strings, the
 * value stays the same.
 */
export function terminalSafe(text: string): string {
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
