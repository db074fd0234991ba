import { FIRST_DYNAMIC, LAST_DYNAMIC, colorText, parseColor } from './colors.ts'
import { ROW_PROMPT } from './screen-buffer.ts'
import type { TerminalState } from './terminal-state.ts'

const TITLE_CHARS_MAX = 4096
/** As browsers and VTE have it; a longer target is no link. */
const LINK_CHARS_MAX = 2083
const LINK_ID_CHARS_MAX = 250
const DIRECTORY_CHARS_MAX = 4096
const OSC = '\x1b]'
const ST = '\x1b\\'

/** Operating system commands. What is not here is swallowed: notifications, clipboard, pointer shapes, images. */
export function operatingSystemCommand(state: TerminalState, text: string): void {
  const separator = text.indexOf(';')
  const code = separator < 0 ? text : text.slice(0, separator)
  const data = separator < 0 ? '' : text.slice(separator + 1)
  if (!/^\d{1,4}$/.test(code)) return
  const number = Number(code)
  if (number >= FIRST_DYNAMIC && number <= LAST_DYNAMIC) setDynamicColors(state, number, data)
  else if (number >= 110 && number <= 119) state.colors.dynamic.delete(number - 100)
  else COMMANDS.get(number)?.(state, data)
}

const COMMANDS: ReadonlyMap<number, (state: TerminalState, data: string) => void> = new Map([
  [
    0,
    (state: TerminalState, data: string) => {
      state.title = state.iconName = data.slice(0, TITLE_CHARS_MAX)
    },
  ],
  [1, (state, data) => (state.iconName = data.slice(0, TITLE_CHARS_MAX))],
  [2, (state, data) => (state.title = data.slice(0, TITLE_CHARS_MAX))],
  [4, setPaletteColors],
  [7, (state, data) => (state.workingDirectory = data.slice(0, DIRECTORY_CHARS_MAX))],
  [8, setLink],
  [104, resetPaletteColors],
  [133, markPrompt],
])

/** `index;color` pairs; `?` asks for one. */
function setPaletteColors(state: TerminalState, data: string): void {
  const parts = data.split(';')
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const index = Number(parts[at])
    if (!/^\d{1,3}$/.test(parts[at] ?? '') || index > 255) continue
    if (parts[at + 1] === '?') {
      state.answer(`${OSC}4;${index};${colorText(state.colors.paletteColor(index))}${ST}`)
      continue
    }
    const color = parseColor(parts[at + 1] ?? '')
    if (color !== null) state.colors.palette.set(index, color)
  }
}

function resetPaletteColors(state: TerminalState, data: string): void {
  if (data === '') state.colors.palette.clear()
  for (const part of data.split(';')) if (/^\d{1,3}$/.test(part)) state.colors.palette.delete(Number(part))
}

/** One command may set or ask for the following colours too: `10;?;?`. */
function setDynamicColors(state: TerminalState, first: number, data: string): void {
  for (const [offset, part] of data.split(';').entries()) {
    const number = first + offset
    if (number > LAST_DYNAMIC) return
    if (part === '?') {
      const color = state.colors.dynamicColor(number)
      if (color !== null) state.answer(`${OSC}${number};${colorText(color)}${ST}`)
      continue
    }
    const color = parseColor(part)
    if (color !== null) state.colors.dynamic.set(number, color)
  }
}

/** OSC 8: `params;uri`; an empty target ends the link. */
function setLink(state: TerminalState, data: string): void {
  const separator = data.indexOf(';')
  if (separator < 0) return
  const uri = data.slice(separator + 1)
  const id = /(?:^|:)id=([^:]*)/.exec(data.slice(0, separator))?.[1] ?? ''
  state.pen.link =
    uri === '' || uri.length > LINK_CHARS_MAX ? 0 : state.links.intern(id.slice(0, LINK_ID_CHARS_MAX), uri)
  state.penChanged()
}

/** OSC 133;A: a shell's prompt begins here. */
function markPrompt(state: TerminalState, data: string): void {
  if (!data.startsWith('A')) return
  const { screen } = state
  const slot = screen.slotOf(state.y)
  screen.flags[slot] = (screen.flags[slot] ?? 0) | ROW_PROMPT
}
