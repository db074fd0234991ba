import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { Home } from '../home/home.ts'
import { checkHomeFolder } from '../home/home-trust.ts'
import { checkedSocketPath } from '../home/socket-folder.ts'
import { errnoOf, messageOf } from '../lib/system-error.ts'
import { degraded, failed, ok, type Check, type Finding } from './check.ts'

const FREE_BYTES_LOW = 512 << 20 // a program that floods prints this much in some seconds
const FREE_BYTES_MIN = 1 << 20 // a manifest, a log's first records and the lock files

/** Where sessions are kept, and where their host listens. */
export function homeChecks(home: string, env: NodeJS.ProcessEnv): Check[] {
  return [
    { name: 'home', run: () => checkHome(home) },
    { name: 'disk_space', run: () => checkDiskSpace(existingAncestor(home)) },
    { name: 'socket_folder', run: () => checkSocketFolder(home, env) },
  ]
}

/** The folder itself, or the nearest one above it that is there. */
export function existingAncestor(folder: string): string {
  return fs.existsSync(folder) || path.dirname(folder) === folder
    ? folder
    : existingAncestor(path.dirname(folder))
}

/** Looks without making a Home: that is for the first session to do. */
function checkHome(home: string): Finding {
  const advice = 'choose another folder with --home or TRANSOM_HOME, or change its permissions'
  const existing = existingAncestor(home)
  try {
    checkHomeFolder(home)
    if (existing !== home || fs.readdirSync(home).length === 0) {
      writeProbe(existing)
      return ok(`${home} is not there yet and can be made`)
    }
    Home.open(home)
    writeProbe(home)
  } catch (error) {
    if (error instanceof OpError) return failed(error.message, advice)
    return failed(`cannot write to ${existing}: ${errnoOf(error) ?? messageOf(error)}`, advice)
  }
  const { mode } = fs.statSync(home)
  if ((mode & 0o077) !== 0)
    return degraded(`${home} is open to others (mode ${(mode & 0o777).toString(8)})`, `chmod 700 ${home}`)
  return ok(`${home} is yours and can be written to`)
}

function writeProbe(folder: string): void {
  const probe = path.join(folder, `host.doctor-${process.pid}`)
  try {
    fs.writeFileSync(probe, 'x', { flag: 'wx' })
  } finally {
    fs.rmSync(probe, { force: true })
  }
}

function checkDiskSpace(folder: string): Finding {
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  const found = `${Math.floor(free / (1 << 20))} MiB free at ${folder}`
  if (free < FREE_BYTES_MIN) return failed(found, 'free some space: sessions cannot start or go on')
  if (free < FREE_BYTES_LOW)
    return degraded(found, 'free some space: programs are paused when the disk is full')
  return ok(found)
}

function checkSocketFolder(home: string, env: NodeJS.ProcessEnv): Finding {
  try {
    const real = fs.existsSync(home) ? fs.realpathSync(home) : home
    return ok(checkedSocketPath(real, env))
  } catch (error) {
    return failed(messageOf(error), 'set XDG_RUNTIME_DIR to a short-named folder that is yours alone')
  }
}
