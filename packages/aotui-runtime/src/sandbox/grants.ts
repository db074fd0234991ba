import { mkdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ProcessPolicy } from '../contract/app-message.ts'
import type { Tier } from '../contract/command.ts'
import { expandFolders, parsePermission } from '../manifest/permission.ts'
import { dependencyFolders } from './dependency-folders.ts'

export interface GrantsInput {
  readonly appId: string
  readonly tier: Tier
  readonly permissions: readonly string[]
  readonly appDir: string
  readonly dataDir: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folders that the runtime itself needs: its bundle, and jsdom for an app that uses it. */
  readonly runtimeDirs: readonly string[]
}

export interface Grants {
  readonly policy: ProcessPolicy
  /** The whole environment of the process. */
  readonly env: Record<string, string>
}

/**
 * The manifest's permissions as what the process is given. Paths are resolved to where they really lead, because the
 * flags compare text. An app may always read its own folder and the packages that it depends on, and use its data
 * folder when it has one.
 */
export function makeGrants(input: GrantsInput): Grants {
  const { appId, tier, appDir, dataDir } = input
  const folders = { appDir, ...(dataDir === undefined ? {} : { dataDir }) }
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const own = dataDir === undefined ? [] : [realPath(dataDir)]
  const dependencies = tier === 'trusted' ? [] : dependencyFolders(appDir)
  const policy: ProcessPolicy = {
    tier,
    appId,
    read: [realPath(appDir), ...dependencies, ...own, ...input.runtimeDirs.map(realPath)],
    write: [...own],
    net: [],
    spawn: [],
    shared: tier === 'trusted',
  }
  const env: Record<string, string> = { LANG: 'C.UTF-8' }
  for (const text of input.permissions) {
    const permission = parsePermission(text)
    if ('problem' in permission) continue // the manifest was checked when it was read
    const scope = permission.scope ?? '*'
    if (permission.resource === 'net') policy.net.push(text)
    else if (permission.resource === 'child') policy.spawn.push(scope)
    else if (permission.resource === 'env') {
      for (const [name, value] of Object.entries(input.env))
        if (value !== undefined && (scope === '*' || scope === name)) env[name] = value
    } else {
      const path = scope === '*' ? '*' : realPath(expandFolders(scope, folders))
      policy.read.push(path)
      if (permission.action === 'write') policy.write.push(path)
    }
  }
  return { policy, env }
}

/** For a path that does not exist yet, its text: it will be made inside a folder that is granted as it is written. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
