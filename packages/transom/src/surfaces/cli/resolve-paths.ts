import * as path from 'node:path'
import type { Command } from '@transom/protocol'

/** A file or folder is named as the caller sees it; the host has a working folder of its own. */
export function resolvePaths(
  command: Command,
  params: Record<string, unknown>,
  context: { readonly cwd: string },
): Record<string, unknown> {
  const resolved = command.params.flatMap(({ name, type }) => {
    const value = params[name]
    return type === 'path' && typeof value === 'string' && value !== '-'
      ? [[name, path.isAbsolute(value) ? path.normalize(value) : path.resolve(context.cwd, value)] as const]
      : []
  })
  return { ...params, ...Object.fromEntries(resolved) }
}
