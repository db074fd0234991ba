/**
 * Command lines as coder/agent-tty documents them (its README and docs/USAGE.md), in the words of this program. Applied
 * when it is called as `agent-tty`. An option without a counterpart is left as it is, and refused like any other.
 */
import { commandWords } from './parse-argv.ts'

/** An option with its value, and what stands for both here. */
type OptionSpelling = readonly [option: string, value: string, here: readonly string[]]

interface CommandSpelling {
  readonly there: readonly string[]
  readonly here: readonly string[]
  readonly options?: readonly OptionSpelling[]
  /** Added unless one of these options is there. */
  readonly unless?: readonly [options: readonly string[], added: string]
}

const SPELLINGS: readonly CommandSpelling[] = [
  { there: ['send-keys'], here: ['keys'] },
  {
    there: ['record', 'export'],
    here: ['export'],
    options: [
      ['--format', 'asciicast', ['--format', 'asciicast-v2']],
      ['--timing', 'recorded', []],
      ['--timing', 'accelerated', ['--idle-limit', '400ms']],
      ['--timing', 'max-speed', ['--speed', 'max']],
    ],
    unless: [['--out', '-o', '--save'], '--save'], // it keeps the file among the session's artifacts
  },
  {
    there: ['snapshot'],
    here: ['snapshot'],
    options: [
      ['--format', 'text', []],
      ['--format', 'structured', ['--json', '--cells']],
    ],
  },
  {
    there: ['screenshot'],
    here: ['screenshot'],
    options: [
      ['--profile', 'reference-dark', ['--theme', 'dark']],
      ['--profile', 'reference-light', ['--theme', 'light']],
      ['--show-cursor', '', []], // as always here
    ],
  },
  { there: ['skills', 'get', 'agent-tty'], here: ['skills', 'get', 'transom'] },
]

/** The same command line in our words; as it is if there is nothing to translate. */
export function fromAgentTty(argv: readonly string[]): readonly string[] {
  const words = commandWords(argv)
  const spelling = SPELLINGS.find(({ there }) => there.every((word, index) => words[index] === word))
  if (spelling === undefined) return argv
  const { there, here, unless } = spelling
  const given = words.slice(there.length)
  const translated = translateOptions(given, spelling.options ?? [])
  const isLeftOut =
    unless !== undefined && !given.some((word) => unless[0].includes(word.split('=')[0] ?? ''))
  const global = argv.slice(0, argv.length - words.length)
  return [...global, ...here, ...translated, ...(isLeftOut ? [unless[1]] : [])]
}

function translateOptions(words: readonly string[], options: readonly OptionSpelling[]): string[] {
  const translated: string[] = []
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const [name = '', inline] = word.split('=', 2)
    const found = options.find(
      ([option, value]) => option === name && (value === '' || value === (inline ?? words[index + 1])),
    )
    if (found === undefined) {
      translated.push(word)
      continue
    }
    translated.push(...found[2])
    if (found[1] !== '' && inline === undefined) index++ // its value
  }
  return translated
}
