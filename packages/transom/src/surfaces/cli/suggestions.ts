import { countSlips } from '../../lib/count-slips.ts'

/** What other programs call our commands: tmux, screen, docker, asciinema, coder/agent-tty, browsers' tools. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  list: ['dashboard', 'ls', 'ps', 'sessions', 'list-sessions', 'status'],
  create: ['new', 'new-session', 'start', 'spawn', 'open', 'launch', 'add'],
  destroy: ['kill', 'kill-session', 'rm', 'delete', 'remove', 'stop', 'close', 'end', 'quit', 'exit'],
  signal: ['kill'],
  keys: ['send-keys', 'key', 'press', 'press-keys', 'sendkeys', 'hotkey'],
  type: ['send', 'send-text', 'write', 'input', 'enter', 'text', 'fill'],
  snapshot: ['capture-pane', 'capture', 'screen', 'show', 'cat', 'read', 'view', 'dump', 'look'],
  watch: ['monitor', 'follow', 'tail', 'notify'],
  inspect: ['info', 'show', 'status', 'describe'],
  run: ['cmd', 'command', 'sh', 'shell', 'eval'],
  export: ['record', 'record export', 'recording', 'cast', 'gif', 'video'],
  replay: ['play', 'playback'],
  'log export': ['log', 'logs', 'history', 'scrollback', 'transcript'],
  blocks: ['history', 'commands'],
  mouse: ['click', 'scroll', 'drag', 'hover'],
  navigate: ['goto', 'go', 'open', 'visit', 'url', 'browse'],
  wait: ['await', 'expect', 'wait-for', 'sleep', 'until'],
  screenshot: ['picture', 'image', 'png', 'screencap'],
  mark: ['label', 'bookmark', 'marker'],
  gc: ['prune', 'clean', 'cleanup'],
  'home list': ['homes'],
  'host stop': ['shutdown', 'kill-server'],
  doctor: ['check', 'diagnose', 'health'],
  'skills get': ['skill', 'learn', 'guide', 'tutorial'],
  batch: ['script', 'exec-batch', 'play'],
}

const SUGGESTIONS_MAX = 3 // more is a list, and --help has that

/** The words that may have been meant: those of another program for the same thing, else the nearest in spelling. */
export function meantWords(word: string, words: readonly string[]): string[] {
  const lower = word.toLowerCase()
  const translated = words.filter((it) => OTHER_NAMES[it]?.includes(lower) ?? false)
  return translated.length > 0 ? translated : nearestWords(word, words)
}

/** The words nearest in spelling, if any is near: about one mistake in three letters, or what it begins with. */
export function nearestWords(word: string, words: readonly string[]): string[] {
  const lower = word.toLowerCase()
  const mistakesMax = Math.max(1, Math.floor(lower.replace(/^-+/, '').length / 3))
  const near = words
    .map((it) => ({ it, mistakes: begins(it, lower) ? 1 : countSlips(lower, it.toLowerCase()) }))
    .filter(({ mistakes }) => mistakes <= mistakesMax)
  const least = Math.min(...near.map(({ mistakes }) => mistakes))
  return near
    .filter(({ mistakes }) => mistakes === least)
    .map(({ it }) => it)
    .slice(0, SUGGESTIONS_MAX)
}

/** `--tim` for `--timeout`; of one letter nearly everything begins with it. */
function begins(whole: string, start: string): boolean {
  return start.replace(/^-+/, '').length >= 2 && whole.toLowerCase().startsWith(start)
}
