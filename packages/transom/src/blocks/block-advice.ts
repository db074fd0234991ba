import type { NextStep } from '@transom/protocol/errors'

/** How to reach a program that has the shell. */
export function talking(session: string): NextStep[] {
  const params = { conversation_id: session }
  return [
    { call: 'session.type', params: { session }, does: 'types to it' },
    { call: 'pty.send', params, does: 'sends it text' },
    { call: 'session.wait', params: { session }, does: 'waits for what it shows' },
    { call: 'pty.wait_for', params, does: 'waits for what it prints' },
  ]
}

/** How to get blocks from a shell that is in front and has none. */
export function integrating(session: string): NextStep[] {
  const params = { session, shell: 'bash', type: true }
  return [{ call: 'session.shell_init', params, does: 'integrates the shell there (zsh and fish, too)' }]
}

/** What to do about a shell that runs a block. */
export function freeing(session: string, ordinal: number): NextStep[] {
  return [
    { call: 'session.wait', params: { session, block_end: ordinal }, does: 'waits for its end' },
    { call: 'session.keys', params: { session, keys: ['Ctrl+C'] }, does: 'interrupts it' },
    { set: { queue: true }, does: 'queue after it' },
  ]
}

const SHORT_CHARS = 60

/** A command, as a message names it. */
export function shortened(command: string): string {
  return command.length <= SHORT_CHARS ? command : `${command.slice(0, SHORT_CHARS)}…`
}
