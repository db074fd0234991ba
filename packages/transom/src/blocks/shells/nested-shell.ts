import { BASH_EDITED_LINE, bashBlockText, bashNestedScript } from './bash-integration.ts'
import { FISH_LINE, fishBlockText, fishNestedScript, quoteForFish } from './fish-integration.ts'
import { BLOCK_KEY, noShortLine, type ShellIntegration } from './integrate-shell.ts'
import { createNonce, halvesOf, type NonceHalves } from './shell-script.ts'
import { READ_TYPED_TEXT } from './typed-text.ts'
import { unquoteShellWord } from './unquote.ts'
import { ZSH_LINE, zshBlockText, zshNestedScript } from './zsh-integration.ts'

/** The shells that can be integrated while they run. */
export type NestedShellName = 'bash' | 'zsh' | 'fish'

/** A shell that was started within a session's program, and how it is integrated. */
export interface NestedShell {
  readonly integration: ShellIntegration
  /** The nonce of the mark by which the shell asks for the script. Good for that alone. */
  readonly invitation: string
  /** What the shell shall evaluate: asks for the script, and evaluates that. No secret; one line. */
  readonly snippet: string
  /** The script itself. It holds the nonce, and is only typed to a shell that reads without echo. */
  readonly script: string
}

export function nestedShell(shell: NestedShellName): NestedShell {
  const [nonce, invitation] = [createNonce(), createNonce()]
  const way = WAYS[shell]
  return {
    integration: {
      shell,
      nonce,
      folder: null,
      trigger: BLOCK_KEY,
      editedLine: way.editedLine,
      prompts: true,
      unquote: unquoteShellWord,
      shortLine: noShortLine,
      blockText: (block) => way.blockText(block),
    },
    invitation,
    snippet: way.snippet(invitation),
    script: way.script(halvesOf(nonce)),
  }
}

interface Way extends Pick<ShellIntegration, 'editedLine' | 'blockText'> {
  snippet(invitation: string): string
  script(nonce: NonceHalves): string
}

const WAYS: Readonly<Record<NestedShellName, Way>> = {
  bash: {
    snippet: posixSnippet,
    script: (nonce) => `${bashNestedScript(nonce)}${POSIX_RESTORE}`,
    editedLine: BASH_EDITED_LINE,
    blockText: bashBlockText,
  },
  zsh: {
    snippet: posixSnippet,
    script: (nonce) => `${zshNestedScript(nonce)}${POSIX_RESTORE}`,
    editedLine: ZSH_LINE,
    blockText: zshBlockText,
  },
  fish: {
    snippet: fishSnippet,
    script: fishNestedScript,
    editedLine: FISH_LINE,
    blockText: fishBlockText,
  },
}

/**
 * For bash and zsh. Options that would show or export the nonce, or end the shell, are off while it is read. Whoever
 * evaluates it elsewhere than in the session that it is for gets the shell back after some seconds.
 */
function posixSnippet(invitation: string): string {
  const steps = [
    '{ __transom_o=$-;set +aeuvx;} 2>/dev/null',
    '__transom_t=$(stty -g </dev/tty)',
    'stty -echo -isig </dev/tty',
    String.raw`printf '\033]7717;${invitation};6\007' >/dev/tty`,
    '__transom_s=',
    '{ IFS= read -t 9 -r __transom_n;while IFS= read -t 9 -r __transom_l&&[ -n "$__transom_l" ]',
    'do __transom_s=$__transom_s$__transom_l',
    'done',
    '} </dev/tty',
    'stty "$__transom_t" </dev/tty',
    '[ ${#__transom_s} = "$__transom_n" ]&&eval "$(printf %b "$__transom_s")"',
    'unset __transom_n __transom_s __transom_l __transom_t __transom_o',
  ]
  return ` ${steps.join(';')}`
}

const POSIX_RESTORE = `case $__transom_o in *a*) set -a ;; esac
case $__transom_o in *e*) set -e ;; esac
case $__transom_o in *u*) set -u ;; esac
case $__transom_o in *v*) set -v ;; esac
case $__transom_o in *x*) set -x ;; esac
`

function fishSnippet(invitation: string): string {
  const steps = [
    'begin',
    'set -l t (stty -g </dev/tty)',
    'stty -echo -isig </dev/tty',
    String.raw`printf '\e]7717;${invitation};6\a' >/dev/tty`,
    `set -l s (sh -c ${quoteForFish(READ_TYPED_TEXT)} </dev/tty | string collect)`,
    'stty $t </dev/tty',
    'eval $s',
    'end',
  ]
  return ` ${steps.join(';')}`
}
