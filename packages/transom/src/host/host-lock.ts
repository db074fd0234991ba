import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { HOST_LOCK_FILE, HOST_STARTING_FILE } from '../home/home-path.ts'
import type { HostAddress } from '../home/host-launch.ts'
import { platform } from '../platform/current-platform.ts'
import { fileError } from '../lib/system-error.ts'

/**
 * Keeps a Home to one host for each protocol version. The lock file is held for the host's life and names its
 * socket. The starting file is held while a host starts or leaves, so that two starters queue up, and the second
 * finds the first one ready instead of half-way. Both are kernel locks: a killed host leaves none.
 */
export class HostLock {
  readonly #lockFd: number
  readonly #startingPath: string
  #startingFd: number | null

  private constructor(lockFd: number, startingPath: string, startingFd: number) {
    this.#lockFd = lockFd
    this.#startingPath = startingPath
    this.#startingFd = startingFd
  }

  /** Blocks while another host of this Home starts or leaves. Returns the address of one that is there already. */
  static acquire(home: string): HostLock | HostAddress {
    const startingPath = path.join(home, HOST_STARTING_FILE)
    const lockPath = path.join(home, HOST_LOCK_FILE)
    let startingFd: number
    let lockFd: number
    try {
      startingFd = fs.openSync(startingPath, 'a+', 0o600)
      lockFd = fs.openSync(lockPath, 'a+', 0o600)
    } catch (error) {
      throw fileError(error, `open the host's lock files in ${home}`, { home })
    }
    platform().lockFileBlocking(startingFd)
    if (!platform().tryLockFile(lockFd)) {
      const content = fs.readFileSync(lockPath, 'utf8')
      fs.closeSync(startingFd)
      fs.closeSync(lockFd)
      if (content === '')
        throw new OpError('host_stopping', `the host of ${home} is leaving; try again`, { home })
      return JSON.parse(content) as HostAddress // written by announce()
    }
    fs.ftruncateSync(lockFd, 0)
    return new HostLock(lockFd, startingPath, startingFd)
  }

  /** The host accepts connections: from here on others find it. */
  announce(address: HostAddress): void {
    fs.writeSync(this.#lockFd, JSON.stringify(address), 0)
    if (this.#startingFd !== null) fs.closeSync(this.#startingFd)
    this.#startingFd = null
  }

  /** The host leaves: whoever starts another one waits until this process is gone. */
  withdraw(): void {
    this.#startingFd ??= fs.openSync(this.#startingPath, 'a+', 0o600)
    platform().tryLockFile(this.#startingFd) // held by a starter, it will find this host gone and be told to try again
    fs.ftruncateSync(this.#lockFd, 0)
  }
}
