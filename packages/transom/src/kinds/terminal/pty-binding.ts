import { createRequire } from 'node:module'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { systemName } from '../../platform/system-name.ts'

/** node-pty's native part. Its JavaScript part loses the end of what a program prints (ADR 003) and is not used. */
export interface PtyBinding {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    keepIutf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string }
  resize(fd: number, cols: number, rows: number): void
}

export interface LoadedBinding {
  readonly binding: PtyBinding
  /** macOS starts programs through a helper that stands beside the binding. */
  readonly helperPath: string
}

let loaded: LoadedBinding | undefined

export function loadPtyBinding(): LoadedBinding {
  loaded ??= load()
  return loaded
}

function load(): LoadedBinding {
  const name = `@lydell/node-pty-${systemName()}-${process.arch}`
  try {
    // Resolved from node-pty itself: only there is its platform package sure to be found.
    const require = createRequire(createRequire(import.meta.url).resolve('@lydell/node-pty'))
    const file = require.resolve(`${name}/pty.node`)
    const binding = require(file) as PtyBinding // an edge: a native module has no types of its own
    return { binding, helperPath: path.join(path.dirname(file), 'spawn-helper') }
  } catch (error) {
    const message = `no terminals on ${systemName()} ${process.arch}: the package ${name} cannot be loaded`
    throw new OpError('spawn_failed', message, { package: name }, { cause: error })
  }
}
