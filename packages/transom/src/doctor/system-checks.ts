import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { errnoOf } from '../lib/system-error.ts'
import type { Platform } from '../platform/platform.ts'
import { degraded, failed, ok, type Check, type Finding } from './check.ts'

const NODE_MAJOR_MIN = 20
const NOTICE_TIMEOUT_MS = 2000 // a file system that reports changes reports them at once

export interface System {
  readonly nodeVersion: string
  readonly name: string
  /** Null if Transom does not run on it. */
  readonly platform: Platform | null
  readonly arch: string
  readonly env: NodeJS.ProcessEnv
  /** An existing folder on the disk of the Home. */
  readonly folder: string
}

/** What is asked of the machine, without anything native. */
export function systemChecks(system: System): Check[] {
  return [
    { name: 'node', run: () => checkNode(system.nodeVersion) },
    { name: 'platform', run: () => checkPlatform(system) },
    { name: 'locale', run: () => checkLocale(system.env) },
    ...platformChecks(system.platform),
    { name: 'file_notices', run: () => checkFileNotices(system.folder) },
    { name: 'shell', run: checkShell },
  ]
}

function checkNode(version: string): Finding {
  const major = Number(/^v(\d+)/.exec(version)?.[1])
  if (major >= NODE_MAJOR_MIN) return ok(version)
  return failed(version, `install Node ${NODE_MAJOR_MIN} or newer`)
}

function checkPlatform({ name, platform, arch }: System): Finding {
  const found = `${name} ${arch}, kernel ${os.release()}`
  if (platform === null) return failed(found, 'use Linux or macOS')
  const lacks = Object.keys(platform.lacks).length
  return lacks === 0
    ? ok(found)
    : degraded(
        `${found}: ${lacks === 1 ? 'one thing works' : `${lacks} things work`} less well, see below`,
        USE_LINUX,
      )
}

const USE_LINUX = 'use Linux if that matters; nothing can be done about it on this system'

/** What a system lacks, one by one, as its implementation says it; else whether what it has can be read. */
function platformChecks(platform: Platform | null): Check[] {
  if (platform === null) return []
  const lacks = Object.entries(platform.lacks).map(([member, effect]) => ({
    name: member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    run: () => degraded(effect, USE_LINUX),
  }))
  return lacks.length > 0 ? lacks : [{ name: 'proc', run: () => checkSources(platform) }]
}

/** As the programs of a session will see it. */
function checkLocale(env: NodeJS.ProcessEnv): Finding {
  const name = ['LC_ALL', 'LC_CTYPE', 'LANG'].find((variable) => env[variable])
  if (name === undefined) return ok('none is set; sessions get LANG=C.UTF-8')
  const found = `${name}=${env[name]}`
  if (/utf-?8/i.test(env[name] ?? '')) return ok(found)
  return degraded(
    `${found} has no UTF-8: programs show other characters than ASCII wrongly`,
    `set ${name}=C.UTF-8`,
  )
}

function checkSources(platform: Platform): Finding {
  const hidden = platform.hiddenSources()
  if (hidden.length === 0) return ok('readable')
  const advice = 'mount /proc without restrictions, or leftover processes of a session are not all found'
  return degraded(`cannot read ${hidden.join(', ')}`, advice)
}

/** Event Logs are followed by the system's notices of changed files; some network disks give none. */
async function checkFileNotices(folder: string): Promise<Finding> {
  const probe = path.join(folder, `host.doctor-${process.pid}`)
  const advice = 'use a Home on a local disk, or raise fs.inotify.max_user_watches and max_user_instances'
  const giveUp = AbortSignal.timeout(NOTICE_TIMEOUT_MS)
  let watcher: fs.FSWatcher | undefined
  try {
    watcher = fs.watch(folder)
    const noticed = new Promise<boolean>((resolve) => {
      watcher?.on('change', (_event, name) => name === path.basename(probe) && resolve(true))
      watcher?.on('error', () => resolve(false))
      giveUp.addEventListener('abort', () => resolve(false))
    })
    fs.writeFileSync(probe, '')
    return (await noticed)
      ? ok(`told of changes in ${folder}`)
      : failed(`not told of changes in ${folder}`, advice)
  } catch (error) {
    return failed(`cannot watch ${folder}: ${errnoOf(error) ?? String(error)}`, advice)
  } finally {
    watcher?.close()
    fs.rmSync(probe, { force: true })
  }
}

function checkShell(): Finding {
  try {
    fs.accessSync('/bin/sh', fs.constants.X_OK)
    return ok('/bin/sh')
  } catch {
    const found =
      '/bin/sh cannot be run: when a host is killed, nobody ends its programs until the next one starts'
    return degraded(found, 'install a shell as /bin/sh')
  }
}
