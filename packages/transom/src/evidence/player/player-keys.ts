import type { PlayerCommand } from './playback.ts'

const COMMANDS: Readonly<Record<string, PlayerCommand>> = {
  ' ': 'toggle',
  '.': 'step',
  ',': 'step_back',
  ']': 'next_chapter',
  '[': 'previous_chapter',
  '+': 'faster',
  '=': 'faster',
  '-': 'slower',
  q: 'quit',
  '\u0003': 'quit',
  '\u0004': 'quit',
  '\u001b': 'quit',
  '\u001b[C': 'forward',
  '\u001b[D': 'back',
  '\u001bOC': 'forward',
  '\u001bOD': 'back',
  '\u001b[H': 'start',
  '\u001b[F': 'end',
  '\u001bOH': 'start',
  '\u001bOF': 'end',
  '\u001b[1~': 'start',
  '\u001b[4~': 'end',
}

/** What people are told in the status line. */
export const KEY_HELP = 'space pause  ←→ 5 s  ,. step  [] marks  +- speed  0-9 place  q quit'

/** The commands behind what a terminal has sent; keys without a meaning have none. */
export function readCommands(input: string): PlayerCommand[] {
  // A sequence as a whole; an Escape that nothing follows is the key.
  const keys = input.match(/\u001b(?:[[O][\d;]*[A-Za-z~])?|[^]/g) ?? []
  return keys.flatMap((key) => {
    if (/^[0-9]$/.test(key)) return [{ percent: Number(key) * 10 }]
    const command = COMMANDS[key]
    return command === undefined ? [] : [command]
  })
}
