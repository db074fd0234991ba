import fsModule from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Replaces functions of the file system, for every module of this process, until the returned function is called. */
export function withFileSystem(changed: Partial<typeof fsModule>): () => void {
  const names = Object.keys(changed) as (keyof typeof fsModule)[]
  const former = Object.fromEntries(names.map((name) => [name, fsModule[name]]))
  Object.assign(fsModule, changed)
  syncBuiltinESMExports()
  return () => {
    Object.assign(fsModule, former)
    syncBuiltinESMExports()
  }
}

/** A disk that has become read-only: not even half a record can be cut off. */
export const READ_ONLY: Partial<typeof fsModule> = {
  writevSync: () => fails('EROFS: read-only file system'),
  ftruncateSync: () => fails('EROFS: read-only file system'),
}

/** A disk that does not keep what was written. */
export const SYNC_FAILS = {
  fdatasync: (_fd: number, callback: (error: Error) => void) => {
    setImmediate(callback, errorOf('EIO: i/o error'))
  },
  fdatasyncSync: () => fails('EIO: i/o error'),
} as unknown as Partial<typeof fsModule> // what a store calls of it

function fails(message: string): never {
  throw errorOf(message)
}

function errorOf(message: string): Error {
  return Object.assign(new Error(message), { code: message.split(':')[0] })
}
