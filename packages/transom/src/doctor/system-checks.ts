import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { errnoOf } from '../lib/system-error.ts'
import { checkProgram } from '../platform/program.ts'
import { degraded, failed, ok, type Check, type Finding } from './check.ts'

const NODE_MAJOR_MIN = 20
const NOTICE_TIMEOUT_MS = 2000 // a file system that tells of a change tells at once

export interface System {
  readonly nodeVersion: string
  readonly platform: string
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
    { name: 'proc', run: () => checkProc(system.platform) },
    { name: 'file_notices', run: () => checkFileNotices(system.folder) },
    { name: 'shell', run: checkShell },
    { name: 'optional_programs', run: () => checkOptionalPrograms(system.env) },
  ]
}

function checkNode(version: string): Finding {
  const major = Number(/^v(\d+)/.exec(version)?.[1])
  if (major >= NODE_MAJOR_MIN) return ok(version)
  return failed(version, `install Node ${NODE_MAJOR_MIN} or newer`)
}

function checkPlatform({ platform, arch }: System): Finding {
  const found = `${platform} ${arch}, kernel ${os.release()}`
  if (platform === 'linux') return ok(found)
  if (platform !== 'darwin') return failed(found, 'use Linux or macOS')
  return degraded(
    found,
    'without /proc a process that leaves its terminal may outlive its session; use Linux',
  )
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

function checkProc(platform: string): Finding {
  if (platform !== 'linux') return degraded('there is none', 'nothing can be done on this system')
  const files = ['/proc/self/stat', '/proc/self/limits', `/proc/self/task/${process.pid}/children`]
  const hidden = files.filter((file) => !isReadable(file))
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

function checkOptionalPrograms(env: NodeJS.ProcessEnv): Finding {
  const PATH = env['PATH']
  try {
    checkProgram('tmux', '/', PATH === undefined ? {} : { PATH })
    return ok('tmux, which the benchmarks compare with')
  } catch {
    return ok('no tmux; only the benchmarks compare with it')
  }
}

function isReadable(file: string): boolean {
  try {
    fs.readFileSync(file)
    return true
  } catch {
    return false // hidden from this user, or a kernel without it
  }
}
