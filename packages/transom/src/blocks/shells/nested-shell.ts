import ask from './ask.bash'
import { BASH_EDITED_LINE, bashBlockText, bashNestedScript } from './bash-integration.ts'
import { FISH_LINE, fishBlockText, fishNestedScript, fishSnippet } from './fish-integration.ts'
import { BLOCK_KEY, RESTORE_KEY, noShortLine, type ShellIntegration } from './integrate-shell.ts'
import restoreOptions from './restore-options.sh'
import { createNonce, halvesOf, inOneLine, type NonceHalves } from './shell-script.ts'
import { unquoteShellWord } from './unquote.ts'
import { ZSH_LINE, zshBlockText, zshNestedScript } from './zsh-integration.ts'

/** The shells that can be integrated while they run. */
export type NestedShellName = 'bash' | 'zsh' | 'fish'

/** A shell that was started within a session's program, and how it is integrated. */
export interface NestedShell {
  readonly integration: ShellIntegration
  /** The nonce of the mark by which the shell asks for the script. Good for that alone. */
  readonly invitation: string
  /** The line for the shell to evaluate: it requests the script and evaluates that. Not secret; one line. */
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
      clearLine: '',
      restoreKey: shell === 'zsh' ? '' : RESTORE_KEY,
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
    script: (nonce) => `${bashNestedScript(nonce)}${restoreOptions}`,
    editedLine: BASH_EDITED_LINE,
    blockText: bashBlockText,
  },
  zsh: {
    snippet: posixSnippet,
    script: (nonce) => `${zshNestedScript(nonce)}${restoreOptions}`,
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

/** The line by which a bash or zsh that runs already asks for its script. */
function posixSnippet(invitation: string): string {
  return ` ${inOneLine(ask.replace('INVITATION', invitation))}`
}
