import { AotuiError } from '../contract/aotui-error.ts'
import type { Command, CommandAck, ExecuteOptions } from '../contract/command.ts'
import type { Snapshot, SnapshotOptions } from './snapshot.ts'

/** Who may write. Only who holds the token can execute or release: an owner's name alone proves nothing. */
export interface Lease {
  readonly ownerId: string
  readonly token: string
  execute(command: Command | string, options?: Omit<ExecuteOptions, 'lease'>): Promise<CommandAck>
  /** A snapshot that is kept for this owner, whatever other readers take. */
  snapshot(options?: Omit<SnapshotOptions, 'reader'>): Snapshot
  release(): void
}

export interface CommandInputStream {
  /** Throws when anyone holds the input, the same owner included. */
  acquire(ownerId: string): Lease
  /** One command at a time; rejects without the token of the lease in force. */
  execute(command: Command | string, options: ExecuteOptions): Promise<CommandAck>
  release(token: string): void
  /** Takes the input away from an owner by name, for an operator who knows that it is gone. Its token is dead at once. */
  break(ownerId: string): void
}

export interface CommandInputOptions {
  execute(command: Command | string, options: ExecuteOptions & { ownerId: string }): Promise<CommandAck>
  snapshot(options: SnapshotOptions): Snapshot
  makeToken(): string
}

/** The reader under which the snapshots of an owner are kept. */
export function readerOf(ownerId: string): string {
  return `lease:${ownerId}`
}

export class CommandInput implements CommandInputStream {
  readonly #options: CommandInputOptions
  #lease: { ownerId: string; token: string } | undefined
  #isBusy = false

  constructor(options: CommandInputOptions) {
    this.#options = options
  }

  acquire(ownerId: string): Lease {
    if (this.#lease !== undefined) {
      throw new AotuiError('E_PERMISSION', `the input is held by "${this.#lease.ownerId}"`, {
        reason: 'input_locked',
        owner: this.#lease.ownerId,
      })
    }
    const token = this.#options.makeToken()
    this.#lease = { ownerId, token }
    return {
      ownerId,
      token,
      execute: (command, options) => this.execute(command, { ...options, lease: token }),
      snapshot: (options) => this.#options.snapshot({ ...options, reader: readerOf(ownerId) }),
      release: () => this.release(token),
    }
  }

  async execute(command: Command | string, options: ExecuteOptions): Promise<CommandAck> {
    const { ownerId } = this.#requireLease(options?.lease)
    // Two commands at once would both act on what the agent saw before either.
    if (this.#isBusy)
      throw new AotuiError('E_INVALID_CMD', 'a command is still running; wait for its ack', {
        reason: 'busy',
      })
    this.#isBusy = true
    try {
      return await this.#options.execute(command, { ...options, ownerId })
    } finally {
      this.#isBusy = false
    }
  }

  release(token: string): void {
    this.#requireLease(token)
    this.#lease = undefined
  }

  break(ownerId: string): void {
    if (this.#lease?.ownerId !== ownerId) {
      throw new AotuiError('E_NOT_FOUND', `"${ownerId}" does not hold the input`, { reason: 'not_owner' })
    }
    this.#lease = undefined
  }

  #requireLease(token: string | undefined): { ownerId: string } {
    if (this.#lease !== undefined && token === this.#lease.token) return this.#lease
    const why =
      this.#lease === undefined ? 'nobody has acquired the input' : 'the lease is not the one in force'
    throw new AotuiError('E_PERMISSION', `${why}; acquire the input and use its lease`, {
      reason: 'lease_invalid',
    })
  }
}
