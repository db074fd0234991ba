import { INPUT_REASON_WORDS, type InputReason, type NeedsInput } from '@transom/protocol'
import { asksForPassword } from './password-prompt.ts'
import type { TerminalSample } from './needs-input.ts'
import type { TerminalProjection } from './terminal-projection.ts'

/** Says whether a program waits for input and for what, from what the kernel shows and what stands on the screen. */
export function judgeInput(
  sample: TerminalSample | null,
  screen: TerminalProjection,
  quietMs: number,
): NeedsInput {
  const prompt = promptOf(screen)
  const evidence = {
    program: sample?.front?.program ?? null,
    pid: sample?.front?.pid ?? null,
    waits_in: sample?.blocked?.call ?? null,
    fd: sample?.blocked?.fd ?? null,
    echo: sample?.echo ?? null,
    canonical: sample?.canonical ?? null,
    quiet_ms: Math.round(quietMs),
  }
  const say = (verdict: NeedsInput['verdict'], reason: InputReason | null, note: string): NeedsInput => ({
    verdict,
    reason,
    prompt,
    evidence: { ...evidence, note },
  })
  if (sample === null) return say('busy', null, 'the terminal has not taken all of the input yet')
  const name = sample.front?.program ?? ''
  const described = { name, prompt, altScreen: screen.modes().alt_screen, ...sample }
  if (sample.blocked === null) return judgeUnblocked(described, say)
  const reason = reasonOf(described)
  if (RELAYS.test(name) && (reason === 'read' || reason === 'full_screen')) {
    return say(
      'unknown',
      null,
      `${name} always reads the terminal, for a program that cannot be seen from here`,
    )
  }
  const { call, fd } = sample.blocked
  return say(
    'needs_input',
    reason,
    `${name} is blocked in ${call} on this terminal (fd ${fd}): ${INPUT_REASON_WORDS[reason]}`,
  )
}

/** What stands before the cursor on its line. */
export function promptOf(screen: TerminalProjection): string {
  const { grid, cursor } = screen.frame()
  return grid.textOf(cursor.row, 0, cursor.col).slice(-PROMPT_CHARS_MAX)
}

interface Described extends TerminalSample {
  readonly name: string
  readonly prompt: string
  readonly altScreen: boolean
}

/** What is left of a long line: a prompt is at its end. */
const PROMPT_CHARS_MAX = 200

type Say = (verdict: NeedsInput['verdict'], reason: InputReason | null, note: string) => NeedsInput

/** No process is seen reading the terminal: none does, or the system does not show it. */
function judgeUnblocked(described: Described, say: Say): NeedsInput {
  const { shown, front, echo, canonical, name } = described
  if (front === null) return say('unknown', null, 'the system does not tell which program is in front')
  if (shown) return say('busy', null, `${name} does not wait for this terminal`)
  const hidden = `the system does not show what ${name} waits for`
  if (canonical && !echo) return say('needs_input', 'password', `${hidden}, but echo is off for a line`)
  const reason = reasonOf(described)
  if (reason === 'confirm')
    return say('needs_input', reason, `${hidden}, but there is a question at the cursor`)
  return say('unknown', null, hidden)
}

/** They pass on what is typed to another terminal, and so read theirs all the time. */
const RELAYS =
  /^(?:ssh|mosh-client|telnet|docker|podman|kubectl|sudo|su|script|screen|tmux: (?:client|server)|dtach|socat)$/
const PAGERS = /^(?:less|more|most|pager|pg|bat)$/
const SHELLS = /^-?(?:bash|zsh|fish|sh|dash|ksh|mksh|ash|tcsh|csh|nu|xonsh|pwsh|elvish)$/
const MENUS = /^(?:dialog|whiptail|fzf|gum)$/
const INTERPRETERS =
  /^(?:python|ipython|pypy|node|deno|bun|irb|ruby|lua|perl|R$|ghci|ghc|julia|sqlite|psql|mysql|mariadb|gdb|lldb|pdb|bc$|guile|scheme|erl|iex|clj|php|tclsh|wish|octave|gnuplot|redis-cli|mongo)/

const YES_OR_NO =
  /(?:\[|\()\s*(?:y(?:es)?\s*[/|]\s*n(?:o)?|n(?:o)?\s*[/|]\s*y(?:es)?)\b[^\])]*[\])]|\by\/n\b|\byes\/no\b/i
const CHOICE = /^#\? $|\b(?:choose|select|choice|selection|option|pick)\b.*[:?>]\s*$/i
const PAGE_END = /^:$|\(END\)\s*$|--More--|^lines \d+-\d+/
/** What interpreters show: `>>> `, `... `, `(gdb) `, `sqlite> `, `In [3]: `, `irb(main):001> `. */
const INTERPRETER_PROMPT = /(?:>>>|\.\.\.>?|\([\w.:-]+\)|[\w):\]*-]?>|In \[\d+\]:)\s*$/
const SHELL_PROMPT = /[$#%>\u276f\u279c\u00bb\u03bb]\s*$/

function reasonOf({ name, prompt, altScreen, echo, canonical }: Described): InputReason {
  if (!echo && (canonical || asksForPassword(prompt))) return 'password'
  if (PAGERS.test(name) || (!canonical && PAGE_END.test(prompt))) return 'pager'
  if (YES_OR_NO.test(prompt)) return 'confirm'
  if (MENUS.test(name) || CHOICE.test(prompt)) return 'menu'
  // A shell that edits its line has taken the terminal out of line mode; its `read` has not.
  if (SHELLS.test(name) && (!canonical || SHELL_PROMPT.test(prompt))) return 'shell_prompt'
  // A program that reads lines does not draw the screen: it runs in a window of one that does (tmux).
  if (altScreen && !canonical) return 'full_screen'
  if (INTERPRETER_PROMPT.test(prompt) && (INTERPRETERS.test(name) || !canonical)) return 'repl'
  return 'read'
}
