import type { PlayerCommand } from './playback.ts'

const COMMANDS: Readonly<Record<string, PlayerCommand>> = {
  Space: 'toggle',
  '.': 'step',
  ',': 'step_back',
  ']': 'next_chapter',
  '[': 'previous_chapter',
  '+': 'faster',
  '=': 'faster',
  '-': 'slower',
  Right: 'forward',
  Left: 'back',
  Home: 'start',
  End: 'end',
  q: 'quit',
  'Ctrl+c': 'quit',
  'Ctrl+d': 'quit',
  Escape: 'quit',
}

/** The keys as the status line shows them. */
export const KEY_HELP = 'space pause  ←→ 5 s  ,. step  [] marks  +- speed  0-9 place  q quit'

/** The command of a key; null for a key that has none. */
export function commandOf(keyName: string): PlayerCommand | null {
  if (/^[0-9]$/.test(keyName)) return { percent: Number(keyName) * 10 }
  return COMMANDS[keyName] ?? null
}
