import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { OpError } from '@transom/protocol/errors'
import { platform } from '../../platform/current-platform.ts'
import type { Command } from '../../platform/platform.ts'
import { removeTree } from '../../lib/remove-tree.ts'
import type { Scope } from '../../lib/scope.ts'
import { messageOf } from '../../lib/system-error.ts'
import { CdpClient } from './cdp-client.ts'
import { findChromium, whyNoSandbox, type ChromiumLocation } from './chromium-location.ts'

const START_TIMEOUT_MS = 30_000 // a cold disk on a loaded machine; a warm start takes 0.1 s
const END_TIMEOUT_MS = 3000 // to write its profile; past this it is killed
const STDERR_CHARS_MAX = 8192 // enough for the lines that explain a failed start

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--disable-dev-shm-usage', // containers give /dev/shm 64 MB, which large pages overrun
  '--hide-scrollbars',
  '--mute-audio',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-component-update',
  '--disable-background-networking',
  '--disable-sync',
  '--disable-quic', // what goes over UDP would pass the proxy by
  '--force-color-profile=srgb', // colours are read back from pixels
]

export interface ChromiumOptions {
  /** Owns what the browser's messages set off; left out, an error in it ends the process. */
  readonly scope?: Scope | undefined
  readonly env: NodeJS.ProcessEnv
  /** `host:port` of the proxy that everything goes through, loopback included. */
  readonly proxyServer?: string | undefined
  /** A fontconfig file that knows the cell font (Linux). */
  readonly fontconfigFile?: string | undefined
  /** A folder that outlives the browser; left out, it gets a fresh one that is removed with it. */
  readonly profileFolder?: string | undefined
  /** The mark by which its processes are found (ADR 004). */
  readonly mark?: bigint | undefined
  /** Gets the browser's process id: a reaper of this process's children must leave that one to Node. */
  readonly reaper?: { leave(pid: number): void; forget(pid: number): void } | undefined
  /** More switches for Chromium. */
  readonly flags?: readonly string[] | undefined
}

/** A running Chromium without a window, and the line to it. */
export class Chromium {
  readonly cdp: CdpClient
  readonly location: ChromiumLocation
  /** Why it runs without a sandbox; null if it has one. */
  readonly unsandboxed: string | null
  readonly ended: Promise<OpError>
  readonly #process: ChildProcess
  readonly #removeProfile: () => Promise<void>
  #majorVersion = 0

  /** Finds a Chromium and starts it, in its sandbox where it has one that works. */
  static async start(options: ChromiumOptions): Promise<Chromium> {
    const location = findChromium(options.env)
    const known = whyNoSandbox(location, process.getuid?.())
    const first = new Chromium(location, options, known)
    try {
      await first.#ready()
      return first
    } catch (error) {
      await first.close()
      if (known !== null || !(error instanceof OpError) || !isAboutSandbox(error)) throw error
    }
    const second = new Chromium(location, options, 'this system does not let Chromium make its sandbox')
    try {
      await second.#ready()
      return second
    } catch (error) {
      await second.close()
      throw error
    }
  }

  private constructor(location: ChromiumLocation, options: ChromiumOptions, unsandboxed: string | null) {
    this.location = location
    this.unsandboxed = unsandboxed
    const profile = options.profileFolder ?? fs.mkdtempSync(path.join(os.tmpdir(), 'transom-web-'))
    this.#removeProfile = async () => (options.profileFolder === undefined ? removeTree(profile) : undefined)
    const command: Command = {
      program: location.path,
      argv: argumentsFor(profile, options, unsandboxed !== null),
      env: environmentFor(location, options),
    }
    const start = ({ program, argv, env }: Command) =>
      spawn(program, argv, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], env, cwd: '/' })
    const { mark } = options
    this.#process = mark === undefined ? start(command) : platform().withProcessMark(mark, command, start)
    if (this.#process.pid !== undefined) options.reaper?.leave(this.#process.pid)
    const [, , stderr, out, incoming] = this.#process.stdio
    // An edge: Node's types do not show which ends of `stdio` are open.
    this.cdp = new CdpClient(out as Writable, incoming as Readable, options.scope)
    let said = ''
    ;(stderr as Readable).on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('latin1')).slice(-STDERR_CHARS_MAX)
    })
    this.ended = new Promise((resolve) => {
      const end = (why: string) => {
        const error = new OpError('browser_failed', `Chromium (${location.path}) ${why}`, {
          said: lastLines(said),
        })
        this.cdp.close(error)
        resolve(error)
      }
      this.#process.once('error', (error) => end(`could not be started: ${messageOf(error)}`))
      this.#process.once('close', (code, signal) => {
        options.reaper?.forget(this.pid)
        end(`ended ${signal ?? `with exit code ${code}`}`)
      })
    })
  }

  /** 156 of 156.0.1.2. */
  get majorVersion(): number {
    return this.#majorVersion
  }

  get pid(): number {
    return this.#process.pid ?? -1
  }

  /** Ends the browser and removes its profile, unless that is to be kept. */
  async close(): Promise<void> {
    this.cdp.call('Browser.close', undefined, { timeoutMs: END_TIMEOUT_MS }).catch(() => {}) // `ended` reports it
    const killer = setTimeout(() => this.#process.kill('SIGKILL'), END_TIMEOUT_MS)
    await this.ended
    clearTimeout(killer)
    await this.#removeProfile()
  }

  async #ready(): Promise<void> {
    const { product } = await this.cdp.call('Browser.getVersion', undefined, { timeoutMs: START_TIMEOUT_MS })
    this.#majorVersion = Number(/\/(\d+)/.exec(product)?.[1] ?? 0)
  }
}

function argumentsFor(profile: string, options: ChromiumOptions, withoutSandbox: boolean): string[] {
  return [
    ...FLAGS,
    `--user-data-dir=${profile}`,
    ...(withoutSandbox ? ['--no-sandbox'] : []),
    ...(options.proxyServer === undefined
      ? []
      : // Without the second, Chromium reaches loopback addresses past the proxy.
        [`--proxy-server=${options.proxyServer}`, '--proxy-bypass-list=<-loopback>']),
    ...(options.flags ?? []),
  ]
}

function environmentFor(location: ChromiumLocation, options: ChromiumOptions): NodeJS.ProcessEnv {
  const env = { ...options.env }
  if (options.fontconfigFile !== undefined) env['FONTCONFIG_FILE'] = options.fontconfigFile
  const { libraryFolder } = location
  if (libraryFolder !== null && fs.existsSync(libraryFolder)) {
    env['LD_LIBRARY_PATH'] = [libraryFolder, env['LD_LIBRARY_PATH']].filter(Boolean).join(':')
  }
  return env
}

function isAboutSandbox(error: OpError): boolean {
  return /sandbox|namespace|zygote/i.test(String(error.details['said']))
}

/** Chromium's last output, for the error's reader: the lines without their time stamps. */
function lastLines(said: string): string {
  return said
    .split('\n')
    .map((line) => line.replace(/^\[[^\]]*\]\s*/, ''))
    .filter((line) => line !== '')
    .slice(-5)
    .join('\n')
}
