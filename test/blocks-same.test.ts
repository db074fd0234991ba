/** A block prints what the shell prints when somebody types the same, byte for byte, and ends with the same status. */
import { expect } from 'vitest'
import { typeToPlainShell } from './support/plain-shell.ts'
import { inShells, useShells, type Shell } from './support/shells.ts'

const shells = useShells()

interface Case {
  readonly title: string
  /** Typed and run one after another in one shell; all of them are compared. */
  readonly commands: readonly string[]
  /** Only for these. */
  readonly shells?: readonly Shell[]
}

const BASHES = ['bash', 'bash-lean'] as const

const CASES: readonly Case[] = [
  {
    title: 'what was typed before',
    shells: ['zsh'],
    commands: ['echo one', 'echo "$LINENO"', 'true; echo $LINENO', 'echo "$LINENO"'],
  },
  {
    title: 'set -x',
    commands: [
      'set -x',
      'echo two',
      'x=1; echo "$x"; [ -n "$x" ]',
      'for i in 1 2; do echo "$i"; done',
      'f() { echo in f; }',
      'f; false',
      '! true',
      'set +x',
      'echo three',
    ],
  },
  { title: 'set -x for one command', commands: ['set -x; echo one; set +x', '{ set -x; } 2>/dev/null; :'] },
  {
    title: 'set -e',
    commands: ['set -e', '! true', 'if false; then :; fi', 'false || echo or', 'echo before; false; echo no'],
  },
  {
    title: 'an ERR trap',
    shells: [...BASHES, 'zsh'],
    commands: [
      "trap 'echo failed' ERR",
      'false',
      'false; true',
      'true; false',
      '(exit 3)',
      '! true',
      'if false; then :; fi',
      'case a in b) ;; a) false ;; esac',
      'f() { false; }; f',
      'trap - ERR; false',
    ],
  },
  {
    title: 'set -e and an ERR trap',
    shells: BASHES,
    commands: ['set -E; set -e', "trap 'echo failed' ERR", 'false'],
  },
  {
    title: 'a DEBUG trap',
    shells: BASHES,
    commands: [
      "trap 'echo debug' DEBUG",
      'echo hi',
      'echo a; echo b',
      'for i in 1 2; do :; done',
      'trap - DEBUG; :',
    ],
  },
  {
    title: 'set -e and a syntax error',
    shells: BASHES,
    commands: ['set -e', 'echo )'],
  },
  {
    title: 'an ERR trap that ends the shell',
    shells: BASHES,
    commands: ["set -E; trap 'echo failed; exit 9' ERR", 'echo one', '! true', 'f() { true; }; f', 'false'],
  },
  {
    title: 'set -u',
    shells: [...BASHES, 'zsh'],
    commands: ['set -u', 'echo "$undefined_variable"; echo no', 'echo $?', 'echo next'],
  },
  {
    title: 'PIPESTATUS of the command before',
    shells: BASHES,
    commands: [
      'false | true | (exit 3)',
      'echo "$? ${PIPESTATUS[@]}"',
      'false | true',
      'echo "$? ${PIPESTATUS[@]}"',
      '(exit 4)',
      'echo "$? ${PIPESTATUS[@]}"; echo "${PIPESTATUS[@]}"',
      'set -e; ! true | false',
      'echo "$? ${PIPESTATUS[@]}"',
    ],
  },
  {
    title: 'pipestatus of the command before',
    shells: ['zsh'],
    commands: ['false | true | (exit 3)', 'echo "$? $pipestatus"', '(exit 4)', 'echo "$? $pipestatus"'],
  },
  {
    title: 'the last argument of the command before',
    shells: BASHES,
    commands: [
      'echo a b',
      'echo "$_"',
      'true one two; (exit 3)',
      'echo "$? $_"',
      'cd / && cd - >last',
      ': "$_"; echo "$_"',
    ],
  },
  {
    title: 'background jobs',
    shells: [...BASHES, 'zsh', 'dash'],
    commands: ['sleep 1000 &', 'sleep 2000 &', 'jobs'],
  },
  {
    // At its prompt it leaves a status that is not 0 as it is, with `-c` it does not.
    title: 'syntax errors after a success',
    shells: ['zsh'],
    commands: ['echo )', 'echo $?', 'echo | | x', ':', 'done', ':', "echo 'a' )"],
  },
  {
    title: 'syntax errors',
    shells: BASHES,
    commands: ['echo )', 'echo $?', 'echo a; ; echo b', '; x', 'echo | | x', 'done'],
  },
  {
    title: 'aliases',
    shells: [...BASHES, 'zsh'],
    commands: [
      "alias hi='echo hi' two='hi two; hi'",
      'hi you',
      'two three',
      'unalias -a; hi',
      'alias',
      'hi',
      'echo ok',
    ],
  },
  {
    title: 'aliases that are not expanded',
    shells: BASHES,
    commands: [
      "alias hi='echo hi'",
      'shopt -u expand_aliases',
      'hi',
      'echo ok',
      'shopt expand_aliases',
      'hi',
    ],
  },
  {
    title: 'what is declared',
    shells: [...BASHES, 'zsh'],
    commands: [
      'declare -i n=6*7',
      'echo $n',
      'declare -A m; m[a]=1',
      'echo ${m[a]}',
      'readonly r=1',
      'r=2; echo no',
      'list=(a b)',
      'echo ${list[@]}',
    ],
  },
  {
    title: 'what belongs elsewhere',
    shells: BASHES,
    commands: [
      'return',
      'break',
      'echo $?',
      'local x=1',
      'set -- a b',
      'echo $# $2',
      'exec 3>&1; echo three >&3',
      'exec 3>&-',
    ],
  },
  { title: 'the end of the shell', commands: ["trap 'echo bye' EXIT", 'echo last; exit 4'] },
  { title: 'another program in its place', commands: ['echo before', "exec sh -c 'echo other; exit 5'"] },
  {
    title: 'what is not found',
    shells: [...BASHES, 'zsh'],
    commands: ['no-such-command', 'echo $?', './nowhere', 'cat /nowhere', '<nowhere', 'cd /nowhere'],
  },
  {
    title: 'signs for history',
    shells: [...BASHES, 'zsh'],
    commands: [`echo "hello!" '!!' !x !`, '! false', 'echo !'],
  },
]

/** Of several lines, which a shell without integration takes as one with `-c`. */
const SCRIPTS: readonly (Omit<Case, 'commands'> & { readonly command: string })[] = [
  {
    title: 'set -x',
    shells: [...BASHES, 'zsh'],
    command: 'set -x\necho one\nfor i in 1 2\ndo\n  echo "$i"\ndone\ncase a in\n  a) false ;;\nesac',
  },
  {
    title: 'an ERR trap',
    shells: [...BASHES, 'zsh'],
    command: "trap 'echo failed' ERR\nfalse\ncat <<EOF\nhi\nEOF\n! true\n(exit 3)",
  },
  { title: 'set -e and a negation', command: 'set -e\ncat <<EOF\nhi\nEOF\n! true' },
  { title: 'set -e', command: 'set -e\necho before\ncat <<EOF\nhi\nEOF\nfalse\necho no' },
  { title: 'a DEBUG trap', shells: BASHES, command: "trap 'echo debug' DEBUG\ncat <<EOF\nhi\nEOF\necho b" },
  { title: 'set -v', shells: BASHES, command: 'echo a\nset -v\necho b\ncat <<EOF\nhi\nEOF' },
  {
    title: 'PIPESTATUS',
    shells: BASHES,
    command: 'false | true | (exit 3)\necho "${PIPESTATUS[@]}"\nexit 4',
  },
]

inShells(
  ...BASHES,
  'zsh',
  'dash',
)('$name', ({ name, test }) => {
  const cases = CASES.filter((each) => each.shells === undefined || each.shells.includes(name))
  test.each(cases)('$title', async ({ commands }) => {
    const typed = await typeToPlainShell(shells, name, commands)
    const shell = await shells.start(name)
    const ran: { command: string; output: string; code: number | null }[] = []
    for (const command of commands) {
      const { output, code } = await shell.run(command)
      ran.push({ command, output: unnumbered(output), code })
    }
    expect(ran).toEqual(
      commands.map((command, index) => ({
        command,
        output: unnumbered(typed[index]?.output ?? ''),
        code: typed[index]?.code,
      })),
    )
  })
})

inShells(
  ...BASHES,
  'zsh',
  'dash',
)('$name', ({ name, test }) => {
  const scripts = SCRIPTS.filter((each) => each.shells === undefined || each.shells.includes(name))
  test.each(scripts)('$title in several lines', async ({ command }) => {
    const shell = await shells.start(name)
    const direct = await shells.runDirectly([name.replace(/-lean$/, ''), '-c', command], shell.folder)
    const { output, code } = await shell.run(command)
    expect({ output: output.replace(/exit\r\n$/, ''), code }).toEqual(direct) // an interactive shell says so
  })
})

/** Processes have other numbers each time. */
function unnumbered(output: string): string {
  return output.replaceAll(/(?<=^\[\d\](?: [-+])? +)\d+/gm, 'PID')
}
