import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { systemName } from '../../platform/system-name.ts'

/** A Chromium on this machine, and how it has to be started. */
export interface ChromiumLocation {
  readonly path: string
  readonly origin: 'AWI_CHROMIUM' | 'debian' | 'path' | 'application' | 'installed'
  /** Shared libraries that come with it, for a machine that lacks them. */
  readonly libraryFolder: string | null
  /** False for a build that was made without one. */
  readonly hasSandbox: boolean
}

/** Debian's wrapper adds nothing but a shell. The headless shell starts four times as fast as a whole Chromium. */
const DEBIAN_HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell'

const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
]

const MAC_APPLICATIONS = ['Chromium', 'Google Chrome', 'Microsoft Edge', 'Brave Browser'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)

/** What `AWI_CHROMIUM` names, else Debian's headless shell, else a Chromium on the PATH, else the installed one. */
export function findChromium(env: NodeJS.ProcessEnv): ChromiumLocation {
  const named = env['AWI_CHROMIUM']
  if (named !== undefined && named !== '') {
    if (isProgram(named)) return found(named, 'AWI_CHROMIUM')
    const message = `AWI_CHROMIUM names ${JSON.stringify(named)}, which is not a program; correct it or unset it`
    throw new OpError('browser_not_found', message, { path: named })
  }
  if (isProgram(DEBIAN_HEADLESS_SHELL)) return found(DEBIAN_HEADLESS_SHELL, 'debian')
  const onPath = firstOnPath(env['PATH'] ?? '')
  if (onPath !== null) return found(onPath, 'path')
  const application = systemName() === 'darwin' ? MAC_APPLICATIONS.find(isProgram) : undefined
  if (application !== undefined) return found(application, 'application')
  const installed = installedChromium(env)
  if (isProgram(installed.path)) return installed
  throw new OpError(
    'browser_not_found',
    `no Chromium was found; "awi-tty install-browser" fetches one, or install Debian's chromium-headless-shell, ` +
      `or name one in AWI_CHROMIUM`,
    { installed: installed.path },
  )
}

/**
 * Where `awi-tty install-browser` puts its Chromium and `findChromium` looks for it. It is a build without a
 * sandbox, whose own libraries are in `libraryFolder` (which need not exist).
 */
export function installedChromium(env: NodeJS.ProcessEnv): ChromiumLocation {
  const folder = path.join(cacheFolder(env), 'chromium')
  return {
    path: path.join(folder, 'chromium'),
    origin: 'installed',
    libraryFolder: path.join(folder, 'lib'),
    hasSandbox: false,
  }
}

/** Why a Chromium runs without its sandbox; null if it has one, unless the system does not let it be made. */
export function whyNoSandbox({ hasSandbox }: ChromiumLocation, uid: number | undefined): string | null {
  if (!hasSandbox) return 'this build of Chromium has none'
  return uid === 0 ? 'Chromium has none for root' : null
}

/** Where Transom keeps what it can make or fetch again. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME']
  // The XDG specification has relative paths ignored.
  if (base !== undefined && path.isAbsolute(base)) return path.join(base, 'transom')
  return path.join(env['HOME'] ?? os.homedir(), '.cache', 'transom')
}

function found(file: string, origin: ChromiumLocation['origin']): ChromiumLocation {
  return { path: file, origin, libraryFolder: null, hasSandbox: true }
}

function firstOnPath(searchPath: string): string | null {
  for (const program of PROGRAMS) {
    for (const folder of searchPath.split(':')) {
      if (folder !== '' && isProgram(path.join(folder, program))) return path.join(folder, program)
    }
  }
  return null
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}
