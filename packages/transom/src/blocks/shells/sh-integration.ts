import { isWholeCommand } from './whole-command.ts'
import { quoteForShell, type BlockText, type ShellScriptOptions } from './shell-script.ts'

/** What is typed to run the next block: there is no line editor to bind a key in. */
export const SH_LINE = ' . "$__transom_d/next";{ __transom_end&&:;} 9>&2 >/dev/null 2>&1\n'

/** Ends a block within its text: then the `.` itself does not fail with it, which `set -e` would see. */
const END_IN_TEXT = 'if __transom_end 2;then :;fi 9>&2 >/dev/null 2>&1\n'

/** What is evaluated: the begin mark comes first. */
export function shBlockText({ request, command, cwd }: BlockText): string {
  const begin = `{ __transom_begin ${request}&&:;} >/dev/null 2>&1\n`
  return `${begin}${cwd === null ? '' : `command cd -- ${quoteForShell(cwd)}\n`}${command}\n${isWholeCommand(command) ? END_IN_TEXT : ''}`
}

/**
 * What a POSIX shell reads through ENV. It has no hooks: what follows a block says that it has ended and that the
 * shell is ready, and PS1 says so again, for a block that was interrupted. What is typed has no begin mark, and
 * gives no block. PS1 is set here and not inherited, so that programs do not see it in their environment.
 */
export function shScript(
  options: ShellScriptOptions & { readonly userEnv: string | null; readonly prompt: string | null },
): string {
  const [first, second] = options.nonceHalves
  const userFile = options.userEnv === null ? '' : quoteForShell(options.userEnv)
  return `command rm -f -- ${quoteForShell(options.scriptPath)}
__transom_a=${first} __transom_b=${second} __transom_d=${quoteForShell(options.folder)}
${options.userEnv === null ? 'unset ENV' : `ENV=${userFile}; export ENV`}
${options.prompt === null ? '' : `PS1=${quoteForShell(options.prompt)}`}
${HOOKS}
${options.userEnv === null || options.norc ? '' : `eval "__transom_user=\\"$ENV\\""; [ -r "$__transom_user" ] && . "$__transom_user"`}
__transom_hook
`
}

const HOOKS = String.raw`
__transom_e=0 __transom_k=0
__transom_esc=$(printf '\033') __transom_bel=$(printf '\007')
__transom_begin() {
  set -- "$1" "$-"
  set +aexuv
  __transom_k=1
  printf '\033]7717;%s%s;1;%s\007' "$__transom_a" "$__transom_b" "$1" >/dev/tty
  __transom_restore "$2"
  return "$__transom_e"
}
__transom_restore() {
  case $1 in *a*) set -a ;; esac
  case $1 in *e*) set -e ;; esac
  case $1 in *u*) set -u ;; esac
  case $1 in *v*) set -v ;; esac
  case $1 in *x*) set -x ;; esac
}
__transom_end() {
  set -- "$-" "$?" "\${1-0}"
  if [ "$__transom_k" = 2 ]; then # it has ended within its text
    __transom_k=0
    return "$__transom_e"
  fi
  __transom_e=$2 __transom_k=$3
  set +aexuv
  if [ -t 9 ]; then __transom_hook; else PS1=; fi # a prompt that goes to a file must not take the marks there
  printf '\033]7717;%s%s;3;%s;%s\007' "$__transom_a" "$__transom_b" "$__transom_e" "$PWD" >/dev/tty
  printf '\033]7717;%s%s;4;%s\007' "$__transom_a" "$__transom_b" "$__transom_e" >/dev/tty
  __transom_restore "$1"
  return "$__transom_e"
}
__transom_hook() {
  case \${PS1-} in
    "$__transom_ps1_a"*"$__transom_ps1_b") ;;
    *) PS1=$__transom_ps1_a\${PS1-}$__transom_ps1_b ;;
  esac
}
__transom_ps1_a='$__transom_esc]7717;$__transom_a$__transom_b;5;$((__transom_e=$?));$PWD$__transom_bel'
__transom_ps1_b='$__transom_esc]7717;$__transom_a$__transom_b;4;$?$__transom_bel'
`.replaceAll('\\${', '${')
