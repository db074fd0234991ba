import * as path from 'node:path'
import { platform } from '../platform/current-platform.ts'
import { descendantsOf } from '../platform/process-tree.ts'

/**
 * The name of the program in front, when that is a shell that reads commands from the terminal, or leads to one that
 * is another user's, in a container or on another machine. Null for every other program.
 */
export function shellInFront(group: number): string | null {
  const argv = platform().programArguments(group)
  const name = nameOf(argv)
  if (isCommandReader(group, argv)) return name
  const subcommands = REMOTE[name]
  if (subcommands !== undefined) {
    return subcommands === null || argv.some((word) => subcommands.includes(word)) ? name : null
  }
  if (!LOCAL.includes(name)) return null
  return descendantsOf(group).some((pid) => isCommandReader(pid, platform().programArguments(pid)))
    ? name
    : null
}

const SHELLS = ['bash', 'zsh', 'fish', 'sh', 'dash', 'ash', 'ksh', 'mksh', 'tcsh', 'csh', 'rbash']

/** What leads away from this machine, or into a container: what runs there is not seen from here. Null: always. */
const REMOTE: Readonly<Record<string, readonly string[] | null>> = {
  ssh: null,
  autossh: null,
  'mosh-client': null,
  telnet: null,
  docker: ['exec', 'run', 'attach', 'start'],
  podman: ['exec', 'run', 'attach', 'start'],
  nerdctl: ['exec', 'run', 'attach'],
  kubectl: ['exec', 'attach', 'run', 'debug'],
  lxc: ['exec', 'shell', 'console'],
  vagrant: ['ssh'],
}

/** What runs another program on this machine and keeps the terminal itself. */
const LOCAL = [
  'sudo',
  'su',
  'doas',
  'runuser',
  'script',
  'unshare',
  'nsenter',
  'chroot',
  'setsid',
  'login',
  'machinectl',
]

/** Options of shells that take the next word, too. */
const OPTIONS_WITH_VALUE = ['--rcfile', '--init-file', '-o', '+o', '-O', '+O', '-C', '--init-command']

/** Whether a process is a shell that was started to read commands, and not to run a script or one command. */
function isCommandReader(pid: number, argv: readonly string[]): boolean {
  if (!SHELLS.includes(nameOf(argv))) return false
  if (platform().processFacts(pid)?.hasExecuted !== true) return false // a subshell is a part of its shell
  const words = argv.slice(1)
  return words.every((word, at) => {
    const isOption = /^[-+]/.test(word) || OPTIONS_WITH_VALUE.includes(words[at - 1] ?? '')
    return isOption && !/^-[a-z]*c$/.test(word)
  })
}

/** As a login shell is named, too: `-bash`. */
function nameOf([first = '']: readonly string[]): string {
  return path.basename(first).replace(/^-/, '')
}
