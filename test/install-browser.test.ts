/** `awi-tty install-browser`: a Chromium from the npm registry, complete or not there at all. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedChromium } from '../packages/transom/src/kinds/web/chromium-location.ts'
import { Chromium } from '../packages/transom/src/kinds/web/chromium.ts'
import { readTar } from '../packages/transom/src/surfaces/awi/command/tar-reader.ts'
import { needs, needsThat } from './support/needs.ts'

const AWI = fileURLToPath(new URL('../packages/transom/dist/awi-tty.cjs', import.meta.url))
const INSTALL_TIMEOUT_MS = 300_000 // 68 MB come from the registry
const NOBODY = 65534

const hasBuild = process.platform === 'linux' && process.arch === 'x64'
const registry = spawnSync('npm', ['view', '@sparticuz/chromium', 'version', '--fetch-retries=0'])
const fromRegistry = hasBuild
  ? needsThat(registry.status === 0, 'the npm registry')
  : needsThat(false, 'x64 Linux, for which the registry has a Chromium')

let root: string
let env: Record<string, string | undefined>

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-browser-'))
  fs.chmodSync(root, 0o755)
  env = { ...process.env, XDG_CACHE_HOME: path.join(root, 'cache') }
})

afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

interface Answer {
  readonly ok: boolean
  readonly path: string
  readonly installed: boolean
  readonly libraries: boolean
}

function install(program = process.execPath, args: readonly string[] = [], environment = env): Answer {
  const { status, stdout, stderr } = spawnSync(program, [...args, AWI, 'install-browser'], {
    env: environment,
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`install-browser ended with ${status}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as Answer
}

fromRegistry(
  'killed half-way, it leaves nothing that looks installed; run again, it installs a Chromium that runs',
  { timeout: INSTALL_TIMEOUT_MS },
  async () => {
    const location = installedChromium(env)
    const cache = path.dirname(path.dirname(location.path))
    const child = spawn(process.execPath, [AWI, 'install-browser'], { env, cwd: root, stdio: 'ignore' })
    const halfway = () =>
      fs.existsSync(cache) &&
      fs.readdirSync(cache).some((name) => fs.existsSync(path.join(cache, name, 'chromium/chromium')))
    const ended = new Promise((resolve) => child.once('close', resolve))
    const gone = ended.then(() => expect.fail('it ended by itself'))
    await Promise.race([waitFor(halfway), gone])
    child.kill('SIGKILL')
    await ended
    gone.catch(() => {})
    expect(fs.existsSync(path.dirname(location.path))).toBe(false)

    expect(install()).toMatchObject({ ok: true, path: location.path, installed: true })
    expect(fs.readdirSync(cache)).toEqual(['chromium']) // what the first left behind is gone, too
    expect(install()).toMatchObject({ path: location.path, installed: false })

    const chromium = await Chromium.start({
      env: { ...env, AWI_CHROMIUM: location.path },
      flags: ['--no-sandbox'],
    })
    const { product } = await chromium.cdp.call('Browser.getVersion')
    expect(product).toContain('147.')
    await chromium.close()
  },
)

test('without a network it says so within seconds, and leaves nothing', () => {
  const cache = path.join(root, 'no-network')
  const offline = {
    XDG_CACHE_HOME: cache,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_cache: path.join(root, 'npm'),
  }
  const { status, stderr } = spawnSync(process.execPath, [AWI, 'install-browser', '--plain'], {
    env: { ...env, ...offline },
    cwd: root,
    encoding: 'utf8',
    timeout: 30_000,
  })
  expect([status, stderr]).toEqual([
    69,
    expect.stringMatching(/npm could not fetch @sparticuz\/chromium@\S+: ECONNREFUSED; check the network/),
  ])
  expect(fs.readdirSync(path.join(cache, 'transom'))).toEqual([])
})

const asRoot = process.getuid?.() === 0 ? needs('setpriv', 'bwrap') : needsThat(false, 'root')
const asRootFromRegistry = registry.status === 0 ? asRoot : fromRegistry

asRootFromRegistry(
  'an ordinary user can install it, on a machine that lacks its libraries',
  { timeout: INSTALL_TIMEOUT_MS },
  () => {
    const home = path.join(root, 'nobody')
    fs.mkdirSync(home, { mode: 0o700 })
    fs.chownSync(home, NOBODY, NOBODY)
    const nss = spawnSync('find', ['/usr/lib', '-name', 'libnss3.so'], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n')
    const hidden = nss.flatMap((file) => (file === '' ? [] : ['--ro-bind', '/dev/null', file]))
    const args = [
      '--dev-bind',
      '/',
      '/',
      ...hidden,
      'setpriv',
      `--reuid=${NOBODY}`,
      `--regid=${NOBODY}`,
      '--clear-groups',
    ]
    const environment = {
      ...env,
      HOME: home,
      XDG_CACHE_HOME: undefined,
      npm_config_cache: path.join(home, 'npm'),
    }
    const answer = install('bwrap', [...args, process.execPath], environment)
    expect(answer).toMatchObject({
      path: `${home}/.cache/transom/chromium/chromium`,
      installed: true,
      libraries: true,
    })
    expect(fs.existsSync(path.join(path.dirname(answer.path), 'lib/libnss3.so'))).toBe(true)
  },
)

test('an archive is read file by file, and a damaged one is refused', () => {
  const folder = path.join(root, 'tar')
  fs.mkdirSync(path.join(folder, 'sub'), { recursive: true })
  fs.writeFileSync(path.join(folder, 'sub/a'), 'A'.repeat(1000))
  fs.writeFileSync(path.join(folder, 'b'), '')
  const { stdout } = spawnSync('tar', ['--format=ustar', '-c', '-C', folder, 'sub', 'b'])
  expect([...readTar(stdout)].map(({ name, bytes }) => [name, bytes.length])).toEqual([
    ['sub/a', 1000],
    ['b', 0],
  ])
  expect(() => [...readTar(stdout.subarray(0, 1600))]).toThrow(/damaged/)
})

/** As until(), for what takes as long as a download. */
async function waitFor(look: () => boolean): Promise<void> {
  while (!look()) await delay(10)
}
