import * as path from 'node:path'
import type { Block, Result, Writer } from '@transom/protocol'
import { platform } from '../platform/current-platform.ts'
import type { AcceptedBlock } from './block-queue.ts'
import { waitForBlockEnd, type BlockSubject } from './block-waits.ts'

export type EndedWith = Result<'pty.end_session'>['ended_with']

/** How long a program may take to leave after each step. */
const STEP_MS = 1500

/** What programs that read commands leave by. */
const EXIT_COMMANDS: Readonly<Record<string, string>> = {
  bash: 'exit',
  sh: 'exit',
  dash: 'exit',
  zsh: 'exit',
  fish: 'exit',
  ksh: 'exit',
  python: 'exit()',
  python3: 'exit()',
  ipython: 'exit',
  node: '.exit',
  ruby: 'exit',
  irb: 'exit',
  sqlite3: '.quit',
  psql: '\\q',
  mysql: 'exit',
  gdb: 'quit',
  bc: 'quit',
  ftp: 'bye',
  sftp: 'bye',
}

/** The terminal of the session, as far as its program is ended through it. */
export interface InteractiveTerminal {
  input(text: string, options: { via: 'send'; writer: Writer }): number
  interrupt(writer: Writer): number
  signalProgram(signals: readonly NodeJS.Signals[], writer: Writer): void
  foregroundGroup(): number | null
}

interface Step {
  readonly with: EndedWith
  take(tty: InteractiveTerminal, writer: Writer): void
}

/**
 * Ends the program of an interactive session: by its own exit command when it is known to have one, else by Ctrl+C,
 * and with ever more force. Null if nothing helped.
 */
export async function endInteractive(
  { tty, blocks }: { tty: InteractiveTerminal; blocks: BlockSubject },
  block: AcceptedBlock,
  { writer, signal }: { writer: Writer; signal: AbortSignal },
): Promise<{ ended_with: EndedWith; block: Block } | null> {
  const exitCommand = EXIT_COMMANDS[programInFront(tty)] ?? null
  const steps = exitCommand === null ? [INTERRUPT, INTERRUPT, ...FORCE] : politeSteps(exitCommand)
  for (const step of steps) {
    step.take(tty, writer)
    const outcome = await waitForBlockEnd(blocks, block, { timeoutMs: STEP_MS, signal })
    if (outcome.is === 'ended') return { ended_with: step.with, block: outcome.block }
  }
  return null
}

const INTERRUPT: Step = { with: 'interrupt', take: (tty, writer) => void tty.interrupt(writer) }
const FORCE: readonly Step[] = [
  {
    with: 'terminate',
    take: (tty, writer) => {
      tty.interrupt(writer) // the terminal forgets what was typed and not read: the shell must not read it next
      tty.signalProgram(['SIGTERM', 'SIGHUP'], writer) // shells ignore the first
    },
  },
  { with: 'kill', take: (tty, writer) => tty.signalProgram(['SIGKILL'], writer) },
]

function politeSteps(command: string): Step[] {
  const exit: Step = {
    with: 'exit_command',
    take: (tty, writer) => void tty.input(`${command}\r`, { via: 'send', writer }),
  }
  // It may have been in the middle of something: Ctrl+C brings it back to its prompt.
  const again: Step = {
    with: 'exit_command',
    take: (tty, writer) => {
      tty.interrupt(writer)
      exit.take(tty, writer)
    },
  }
  return [exit, again, ...FORCE]
}

/** The name of the program that leads the foreground process group, without its version; empty if it is not known. */
function programInFront(tty: InteractiveTerminal): string {
  const group = tty.foregroundGroup()
  const file = group === null ? null : platform().programFile(group)
  return path.basename(file ?? '').replace(/[\d.]+$/, (version) => (version === '3' ? '3' : ''))
}
