import readTypedText from './read-typed-text.sh'
import { inOneLine } from './shell-script.ts'

/**
 * How a text is typed to a shell that cannot read our files: one of another user, in a container, on another machine.
 * It goes through whatever terminals lie between as lines of printable ASCII, none of which a terminal, `ssh` (`~` at
 * the start of a line) or a container's client takes for a command: first the length of what follows, then the
 * text as `printf %b` reads it, then an empty line. A text that does not have its length was mixed with something
 * else that was typed, and is not used.
 */
export function typedText(text: string): string {
  const units = [...Buffer.from(text)].map((byte) => typedByte(byte))
  const lines: string[] = []
  for (let at = 0; at < units.length; at += LINE_UNITS) lines.push(units.slice(at, at + LINE_UNITS).join(''))
  const length = lines.reduce((sum, line) => sum + line.length, 0)
  return `${[length, ...lines].join('\n')}\n\n`
}

/** At most 5 characters each: a line of 1024 is the least that every system takes at once (MAX_CANON). */
const LINE_UNITS = 200

function typedByte(byte: number): string {
  const isPlain = byte >= 0x20 && byte < 0x7e && byte !== 0x5c
  return isPlain ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`
}

/** Reads such a text in any POSIX shell and prints it; nothing when it is not whole. */
export const READ_TYPED_TEXT = inOneLine(readTypedText)
