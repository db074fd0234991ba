import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessPolicy } from '../contract/app-message.ts'
import { isPathInside } from '../manifest/permission.ts'
import type { Deny } from './denial.ts'

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

const WRITES =
  /^(write|append|mkdir|mkdtemp|rm|unlink|rename|copyFile|cp|chmod|chown|lchmod|lchown|utimes|lutimes|truncate|symlink|link|createWriteStream)/
const TWO_PATHS = /^(rename|copyFile|cp|link|symlink)/
const NO_PATH = /^(f[a-z]+|close|read|readv|write|writev|watch.*|unwatchFile|_.*|[A-Z].*)(Sync)?$/

/**
 * Wraps every function of `node:fs` that takes a path. Node's permission model already refuses paths outside the
 * scopes, but it follows a symlink inside a scope to anywhere; the wrapper checks where the path really leads, and
 * turns every refusal into `E_PERMISSION` with the permission that was missing.
 */
export function guardFileSystem(policy: ProcessPolicy, deny: Deny): void {
  const realpath = fs.realpathSync.native.bind(fs.realpathSync)
  const wrapAll = (from: object) => {
    const target = from as Record<string, unknown>
    for (const name of Object.keys(target)) {
      const original = target[name]
      if (typeof original !== 'function' || (NO_PATH.test(name) && name !== 'fdatasync' && !KEEP.has(name)))
        continue
      const wrapped = wrap(name, original as AnyFunction, { policy, deny, realpath })
      // `realpath.native` and the promisified forms hang on the function.
      target[name] = Object.assign(wrapped, original)
    }
  }
  wrapAll(fs)
  wrapAll(fs.promises)
}

/** Names that look like file descriptor functions and are not. */
const KEEP = new Set([
  'readFile',
  'readFileSync',
  'readdir',
  'readdirSync',
  'readlink',
  'readlinkSync',
  'writeFile',
  'writeFileSync',
])

interface WrapContext {
  policy: ProcessPolicy
  deny: Deny
  realpath: (path: string) => string
}

function wrap(name: string, original: AnyFunction, context: WrapContext): AnyFunction {
  return function guarded(this: unknown, ...args: unknown[]) {
    const denied = checkPaths(name, args, context)
    const callback = args.at(-1)
    if (denied !== undefined) return failWith(name, denied, this === fs.promises ? undefined : callback)
    if (typeof callback === 'function')
      args[args.length - 1] = translating(callback as AnyFunction, name, context)
    try {
      const result = original.apply(this, args)
      return result instanceof Promise
        ? result.catch((error: unknown) => Promise.reject(translate(error, name, context)))
        : result
    } catch (error) {
      throw translate(error, name, context)
    }
  }
}

/** A callback function reports through its callback, a promise through its rejection, the rest throw. */
function failWith(name: string, error: Error, callback: unknown): unknown {
  if (typeof callback === 'function') {
    process.nextTick(callback, error)
    return undefined
  }
  if (name.endsWith('Sync') || name === 'createReadStream' || name === 'createWriteStream') throw error
  return Promise.reject(error)
}

function translating(callback: AnyFunction, name: string, context: WrapContext): AnyFunction {
  return function translated(this: unknown, error: unknown, ...rest: unknown[]) {
    return callback.call(
      this,
      error === null || error === undefined ? error : translate(error, name, context),
      ...rest,
    )
  }
}

function translate(error: unknown, name: string, { deny }: WrapContext): unknown {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== 'ERR_ACCESS_DENIED')
    return error
  const kind =
    'permission' in error && error.permission === 'FileSystemWrite'
      ? 'write'
      : WRITES.test(name)
        ? 'write'
        : 'read'
  const path = 'resource' in error && typeof error.resource === 'string' ? error.resource : '*'
  return deny(`fs:${kind}:${path}`, error)
}

function checkPaths(name: string, args: readonly unknown[], context: WrapContext): Error | undefined {
  for (const arg of args.slice(0, TWO_PATHS.test(name) ? 2 : 1)) {
    const path = asPath(arg)
    if (path === undefined) continue
    const writing = WRITES.test(name) || (name.startsWith('open') && opensForWriting(args[1]))
    const real = realTarget(path, context.realpath)
    if (real === undefined) continue
    const { read, write } = context.policy
    if (!isPathInside(real, writing ? write : read))
      return context.deny(`fs:${writing ? 'write' : 'read'}:${real}`)
  }
  return undefined
}

function opensForWriting(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & 3) !== 0
  return typeof flags === 'string' && /[wa+]/.test(flags)
}

/** Where a path leads once every symlink is followed; for a file that is to be made, where its folder leads. */
function realTarget(path: string, realpath: (path: string) => string): string | undefined {
  let at = resolve(path)
  const missing: string[] = []
  for (;;) {
    try {
      return resolve(realpath(at), ...missing.toReversed())
    } catch (error) {
      // Refused already by the permission model: the call itself will say so.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(at) === at) return undefined
      missing.push(at.slice(dirname(at).length).replace(/^[/\\]/, ''))
      at = dirname(at)
    }
  }
}

function asPath(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof URL) return value.protocol === 'file:' ? fileURLToPath(value) : undefined
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  return undefined
}
