import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { OpError } from '@transom/protocol/errors'
import { systemName } from '../../platform/system-name.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { errnoOf, messageOf } from '../../lib/system-error.ts'
import { installedChromium } from './chromium-location.ts'
import { readTar, type TarFile } from './tar-reader.ts'

/** The last release whose package runs under Node 20. It holds the program itself, for x64 Linux, and is not a wrapper. */
const PACKAGE = '@sparticuz/chromium'
const VERSION = '147.0.0'
/** What the registry must deliver, whichever registry is configured. */
const INTEGRITY =
  'sha512-4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ=='
const PROGRAM_BYTES = 196_676_728 // unpacked, for the progress

export interface InstallOptions {
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** Reports progress to the user. */
  readonly progress: (text: string) => void
}

export interface InstalledBrowser {
  readonly ok: true
  readonly path: string
  readonly version: string
  /** False if it was there already. */
  readonly installed: boolean
  /** Whether libraries came with it because this machine lacks them. */
  readonly libraries: boolean
  readonly note: string
  readonly [key: string]: unknown
}

const NOTE =
  'this build has no sandbox of its own: prefer a Chromium of your distribution for pages you do not trust'

/**
 * Fetches a Chromium from the npm registry into the user's cache. It is unpacked and tried out beside its place, and
 * moved there as a whole, so that what is found there is complete, whenever this was interrupted.
 */
export async function installBrowser(options: InstallOptions): Promise<InstalledBrowser> {
  const { env } = options
  const location = installedChromium(env)
  const folder = path.dirname(location.path)
  if (isInstalled(folder)) return answer(location.path, false)
  checkPlatform()
  const parent = path.dirname(folder)
  const workspace = path.join(parent, `${WORKSPACE_PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    makeFolder(parent)
    removeLeftovers(parent)
    fs.mkdirSync(workspace, { mode: 0o700 })
    const files = await fetchPackage(workspace, options)
    const fresh = path.join(workspace, 'chromium')
    await unpack(files, fresh, options)
    moveIntoPlace(fresh, folder)
    return answer(location.path, true)
  } catch (error) {
    throw installError(error, folder)
  } finally {
    fs.rmSync(workspace, { recursive: true, force: true })
  }
}

const WORKSPACE_PREFIX = 'chromium.installing-'
const RECEIPT = 'installed.json'

function isInstalled(folder: string): boolean {
  try {
    const receipt = JSON.parse(fs.readFileSync(path.join(folder, RECEIPT), 'utf8')) as { version?: unknown }
    fs.accessSync(path.join(folder, 'chromium'), fs.constants.X_OK)
    return receipt.version === VERSION
  } catch {
    return false // not there, or another one: it is installed anew
  }
}

function answer(file: string, installed: boolean): InstalledBrowser {
  const libraries = fs.existsSync(path.join(path.dirname(file), 'lib'))
  return { ok: true, path: file, version: VERSION, installed, libraries, note: NOTE }
}

function checkPlatform(): void {
  if (systemName() === 'linux' && process.arch === 'x64') return
  const message = `there is no Chromium in the npm registry for ${systemName()} on ${process.arch}; install one with the system's package manager, or name one in AWI_CHROMIUM`
  throw new OpError('browser_not_found', message, { platform: systemName(), arch: process.arch })
}

/** npm's own pauses add up to 70 s until it reports that there is no network. */
const RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=4000']

/** Has npm fetch the package, by the registry and proxy that npm is set up for; returns its files. */
async function fetchPackage(
  workspace: string,
  { env, signal, progress }: InstallOptions,
): Promise<TarFile[]> {
  progress(`fetching ${PACKAGE} ${VERSION} (68 MB) from the npm registry`)
  const args = [
    'pack',
    `${PACKAGE}@${VERSION}`,
    '--pack-destination',
    workspace,
    '--ignore-scripts',
    '--loglevel=error',
    ...RETRIES,
  ]
  const { code, said } = await run('npm', args, { cwd: workspace, env, signal })
  const name = fs.readdirSync(workspace).find((file) => file.endsWith('.tgz'))
  if (code !== 0 || name === undefined) {
    const message = `npm could not fetch ${PACKAGE}@${VERSION}: ${npmReason(said) ?? `it ended with ${code}`}; check the network and npm's registry setting`
    throw new OpError('browser_not_found', message, { package: PACKAGE, version: VERSION })
  }
  const tarball = fs.readFileSync(path.join(workspace, name))
  const digest = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  if (digest !== INTEGRITY) {
    const message = `what the npm registry delivered as ${PACKAGE}@${VERSION} is not what was published (${digest}); nothing was installed`
    throw new OpError('browser_not_found', message, { package: PACKAGE, version: VERSION, digest })
  }
  return [...readTar(await promisify(zlib.gunzip)(tarball))]
}

/** The code of npm's error (ECONNREFUSED, E404), else its whole output. */
function npmReason(said: string): string | null {
  const code = /^npm (?:error|ERR!) code (\S+)$/m.exec(said)?.[1]
  return code ?? (said.trim() === '' ? null : said.trim())
}

async function unpack(files: readonly TarFile[], folder: string, options: InstallOptions): Promise<void> {
  const packed = (name: string): Buffer => {
    const found = files.find((file) => file.name === `package/bin/${name}`)
    if (found === undefined) throw new RangeError(`${PACKAGE}@${VERSION} has no ${name}`)
    return found.bytes
  }
  fs.mkdirSync(folder, { mode: 0o700 })
  const program = path.join(folder, 'chromium')
  await writeUnpacked(packed('chromium.br'), program, options)
  const alone = await tryProgram(program, options)
  if (alone !== null) {
    const archive = await promisify(zlib.brotliDecompress)(packed('al2023.tar.br'))
    const libraries = path.join(folder, 'lib')
    fs.mkdirSync(libraries)
    for (const { name, bytes } of readTar(archive)) {
      writeDurable(path.join(libraries, path.basename(name)), bytes, 0o755)
    }
    const withLibraries = await tryProgram(program, {
      ...options,
      env: { ...options.env, LD_LIBRARY_PATH: libraries },
    })
    if (withLibraries !== null) {
      const message = `the Chromium that was fetched does not start here: ${withLibraries}; install a Chromium with the system's package manager instead`
      throw new OpError('browser_failed', message, { said: withLibraries })
    }
  }
  writeDurable(
    path.join(folder, RECEIPT),
    `${JSON.stringify({ package: PACKAGE, version: VERSION })}\n`,
    0o600,
  )
}

async function writeUnpacked(
  packed: Buffer,
  file: string,
  { progress, signal }: InstallOptions,
): Promise<void> {
  let written = 0
  let told = -1
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      written += chunk.length
      const percent = Math.min(100, Math.floor((written / PROGRAM_BYTES) * 100))
      if (percent !== told) progress(`unpacking: ${percent} %`)
      told = percent
      next(null, chunk)
    },
  })
  const out = fs.createWriteStream(file, { mode: 0o755, flush: true })
  await pipeline(Readable.from([packed]), zlib.createBrotliDecompress(), count, out, { signal })
}

/** What is wrong with the program, in its own words; null if it starts. */
async function tryProgram(program: string, { env, signal }: InstallOptions): Promise<string | null> {
  const { code, said } = await run(program, ['--version'], { env, signal, cwd: path.dirname(program) })
  return code === 0 && /Chromium/.test(said) ? null : said.trim() || `it ended with ${code}`
}

/** The last step, atomic: other processes see no browser, or a complete one. */
function moveIntoPlace(fresh: string, folder: string): void {
  const old = `${fresh}.old`
  try {
    fs.renameSync(folder, old) // an older one, removed with the workspace
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
  try {
    fs.renameSync(fresh, folder)
  } catch (error) {
    // Another process was a moment faster: its browser is as good.
    if (!isInstalled(folder)) throw error
  }
}

/** Removes what a killed install has left. */
function removeLeftovers(parent: string): void {
  for (const name of fs.readdirSync(parent)) {
    const pid = new RegExp(`^${WORKSPACE_PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid)))
      fs.rmSync(path.join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}

function writeDurable(file: string, content: Uint8Array | string, mode: number): void {
  const fd = fs.openSync(file, 'w', mode)
  try {
    fs.writeFileSync(fd, content)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

interface RunOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

const SAID_CHARS_MAX = 4096

async function run(
  file: string,
  args: readonly string[],
  options: RunOptions,
): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    const hear = (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-SAID_CHARS_MAX))
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, said }))
  })
}

function installError(error: unknown, folder: string): unknown {
  if (error instanceof OpError || (error instanceof Error && error.name === 'AbortError')) return error
  const errno = errnoOf(error)
  if (errno === 'ENOENT' && error instanceof Error && 'path' in error && error.path === 'npm') {
    return new OpError('browser_not_found', 'npm is needed to fetch a browser, and is not on the PATH', {})
  }
  const code =
    errno === 'ENOSPC'
      ? 'disk_full'
      : errno === 'EACCES' || errno === 'EROFS'
        ? 'home_unwritable'
        : 'io_error'
  const message = `could not install a browser in ${folder}: ${messageOf(error)}; XDG_CACHE_HOME chooses another place`
  return new OpError(code, message, { folder, errno }, { cause: error })
}
