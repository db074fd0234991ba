// @ts-check
/** The place where everything happens: a temporary folder, an environment, and the list of what must be undone. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BenchHome, loadClient } from './bench-home.mjs'
import { Tmux } from './peers.mjs'

const repository = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** Somebody may rebuild `dist` while it is copied: tried again this often. */
const COPY_TRIES_MAX = 20
const COPY_RETRY_MS = 250

/** @typedef {{ quick: boolean, dist: string | undefined, progress: (text: string) => void }} WorkbenchOptions */

export class Workbench {
  /** What the present row has opened. @type {(() => Promise<void> | void)[]} */
  #undo = []
  /** @type {Promise<void> | undefined} */
  #closing
  #opened = 0
  #dist
  /** @type {import('./bench-home.mjs').Connect | undefined} */
  #connect

  /**
   * @param {WorkbenchOptions} options
   * @param {string} root
   */
  constructor({ quick, dist, progress }, root) {
    this.#dist = dist ?? path.join(repository, 'packages/transom/dist')
    this.quick = quick
    this.progress = progress
    this.root = root
    this.cli = path.join(root, 'dist', 'cli.cjs')
    this.awiTty = path.join(root, 'dist', 'awi-tty.cjs')
    this.env = childEnvironment(root)
    this.tmuxVersion = Tmux.version(this.env)
  }

  /** Makes the folder. Whoever calls it must close it, also when prepare() fails. */
  static open(/** @type {WorkbenchOptions} */ options) {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-bench-'))
    fs.mkdirSync(path.join(root, 'run'), { mode: 0o700 })
    return new Workbench(options, root)
  }

  /** Gets the product to be measured and its client. */
  async prepare() {
    await retry(() => copyBuild(this.#dist, this.root))
    this.#connect = await retry(loadClient)
  }

  /**
   * How often something is repeated.
   * @param {number} full
   * @param {number} quick
   */
  rounds(full, quick) {
    return this.quick ? quick : full
  }

  /** A Home of its own, whose host is running. */
  async openHome() {
    if (this.#connect === undefined || this.closed) throw new Error('the workbench is not open')
    const home = new BenchHome(this, this.#connect, path.join(this.root, `home${++this.#opened}`))
    this.defer(() => home.close())
    await home.start()
    return home
  }

  /** A tmux server of its own, or null when tmux is not installed. */
  async openTmux() {
    if (this.tmuxVersion === null) return null
    const tmux = new Tmux(this.env, `bench${++this.#opened}`)
    this.defer(() => tmux.close())
    await tmux.start()
    return tmux
  }

  /**
   * Has something undone at the end of the row, whichever way it ends. It must be harmless to do twice.
   * @param {() => Promise<void> | void} undo
   */
  defer(undo) {
    this.#undo.push(undo)
  }

  get closed() {
    return this.#closing !== undefined
  }

  /** Ends every process that the present row has started. */
  async closeRow() {
    const failures = []
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        await undo()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the bench could not clean up after a row')
  }

  /** Ends every process that was started here and removes the folder. Idempotent. */
  async close() {
    this.#closing ??= this.closeRow().finally(() =>
      fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 }),
    )
    await this.#closing
  }
}

/**
 * The same for the measured programs and for their baselines.
 * @param {string} root
 */
function childEnvironment(root) {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: root,
    SHELL: '/bin/sh',
    PS1: '$ ',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMPDIR: root,
    XDG_RUNTIME_DIR: path.join(root, 'run'),
    XDG_STATE_HOME: path.join(root, 'state'),
    TMUX_TMPDIR: path.join(root, 'run'),
    // Left out on purpose: NODE_EXTRA_CA_CERTS adds 40 ms to every start of Node, NODE_OPTIONS may add anything.
  }
}

/**
 * A copy that nobody rebuilds during the run. What the host loads from node_modules is found by a link.
 * @param {string} dist
 * @param {string} root
 */
function copyBuild(dist, root) {
  const copy = path.join(root, 'dist')
  fs.rmSync(copy, { recursive: true, force: true })
  fs.cpSync(dist, copy, { recursive: true, filter: (file) => !path.basename(file).startsWith('.') })
  for (const file of ['cli.cjs', 'host.mjs']) fs.accessSync(path.join(copy, file))
  const modules = path.join(root, 'node_modules')
  fs.rmSync(modules, { force: true })
  fs.symlinkSync(path.join(repository, 'node_modules'), modules)
}

/**
 * @template T
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
async function retry(work) {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === COPY_TRIES_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, COPY_RETRY_MS))
    }
  }
}
