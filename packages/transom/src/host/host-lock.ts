import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { HOST_LOCK_FILE, HOST_STARTING_FILE } from '../home/home-path.ts'
import type { HostAddress } from '../home/host-launch.ts'
import { FileLock } from '../platform/file-lock.ts'
import { fileError } from '../lib/system-error.ts'

/**
 * Keeps a Home to one host for each protocol version. The lock file is held for the host's life and names its
 * socket. The starting file is held while a host starts or leaves, so that two starters queue up, and the second
 * finds the first one ready instead of half-way. Both are kernel locks: a killed host leaves none.
 */
export class HostLock {
  readonly #lock: FileLock
  readonly #startingPath: string
  /** Held, or null between start and end; also if another host has taken it at the end. */
  #starting: FileLock | null

  private constructor(lock: FileLock, startingPath: string, starting: FileLock) {
    this.#lock = lock
    this.#startingPath = startingPath
    this.#starting = starting
  }

  /** Blocks while another host of this Home starts or leaves. Returns the address of one that is there already. */
  static acquire(home: string): HostLock | HostAddress {
    const startingPath = path.join(home, HOST_STARTING_FILE)
    const lockPath = path.join(home, HOST_LOCK_FILE)
    let starting: FileLock | null = null
    let lock: FileLock | null
    try {
      starting = FileLock.block(startingPath)
      lock = FileLock.try(lockPath)
    } catch (error) {
      starting?.release()
      throw fileError(error, `open the host's lock files in ${home}`, { home })
    }
    if (lock === null) {
      const content = fs.readFileSync(lockPath, 'utf8')
      starting.release()
      if (content === '')
        throw new OpError('host_stopping', `the host of ${home} is leaving; try again`, { home })
      return JSON.parse(content) as HostAddress // written by announce()
    }
    fs.ftruncateSync(lock.fd, 0)
    return new HostLock(lock, startingPath, starting)
  }

  /** The host accepts connections: from here on others find it. */
  announce(address: HostAddress): void {
    fs.writeSync(this.#lock.fd, JSON.stringify(address), 0)
    this.#starting?.release()
    this.#starting = null
  }

  /** The host leaves: another one that starts waits until this process has ended. */
  withdraw(): void {
    // If a starter holds it, it finds that this host has left and is asked to try again.
    this.#starting ??= FileLock.try(this.#startingPath)
    fs.ftruncateSync(this.#lock.fd, 0)
  }
}
