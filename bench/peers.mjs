// @ts-check
/** What the product is measured against: tmux, a start of Node, a bare pty sink, a bare socket server. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { timeMs } from './measure.mjs'

/** @typedef {Record<string, string>} Environment */

/**
 * A program of the bench, by its file name.
 * @param {string} name
 */
export const programPath = (name) => fileURLToPath(new URL(`programs/${name}`, import.meta.url))

/**
 * Runs a program to its end and returns what it printed; an exit code other than 0 is an error.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Environment} env
 * @param {{ cwd?: string, timeoutMs?: number }} [options] past its time it is ended
 * @returns {Promise<string>}
 */
export async function runProcess(file, args, env, { cwd, timeoutMs } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, cwd, timeout: timeoutMs, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += String(chunk)))
    child.stderr.on('data', (chunk) => (stderr += String(chunk)))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout)
      else reject(new Error(`${file} ${args.join(' ')} exited with ${code ?? signal}: ${stderr}${stdout}`))
    })
  })
}

/**
 * How long Node takes to do nothing.
 * @param {Environment} env
 */
export async function timeBareNode(env) {
  return timeMs(() => runProcess(process.execPath, ['-e', '0'], env))
}

/**
 * Runs a command on a bare pty in a Node process of its own; the start of that process is not counted.
 * @param {{ command: readonly string[], env: Environment, file?: string }} options `file`: write the bytes there
 * @returns {Promise<{ ms: number, bytes: number }>}
 */
export async function runPtySink(options) {
  const sink = startPtySink(options)
  let printed = ''
  sink.stdout.on('data', (chunk) => (printed += String(chunk)))
  await once(sink, 'close')
  return JSON.parse(printed)
}

/**
 * It leaves, and its program with it, when its standard input ends: also when this process is killed.
 * @param {{ command: readonly string[], env: Environment, file?: string }} options
 */
export function startPtySink({ command, env, file = '' }) {
  return spawn(process.execPath, [programPath('pty-sink.mjs'), file, ...command], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** A tmux server of its own, found by a private socket; its own configuration files are not read. */
export class Tmux {
  #env
  #name
  #closed = false

  /**
   * @param {Environment} env with TMUX_TMPDIR in a temporary folder
   * @param {string} name
   */
  constructor(env, name) {
    this.#env = env
    this.#name = name
  }

  /**
   * What `tmux -V` says; null when there is no tmux.
   * @param {Environment} env
   */
  static version(env) {
    const { status, stdout } = spawnSync('tmux', ['-V'], { env, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : null
  }

  /** Starts the server with one session, so that it stays when others end. */
  async start() {
    await this.newSession('keep', ['cat'])
  }

  /** @param {string[]} args */
  async run(...args) {
    return runProcess('tmux', ['-L', this.#name, '-f', '/dev/null', ...args], this.#env)
  }

  /**
   * @param {string} name
   * @param {string[]} command
   * @param {{ cols?: number, rows?: number }} [size]
   */
  async newSession(name, command, { cols = 80, rows = 24 } = {}) {
    return this.run('new-session', '-d', '-s', name, '-x', String(cols), '-y', String(rows), ...command)
  }

  async serverPid() {
    return Number(await this.run('display-message', '-p', '#{pid}'))
  }

  /** Ends the server and its sessions. Idempotent. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    await this.run('kill-server')
  }
}

/**
 * A Node server that answers every request at once with the same result: what a round trip costs at the least.
 * @param {{ socket: string, result: unknown, env: Environment }} options
 * @returns {Promise<{ close: () => void }>}
 */
export async function startEchoServer({ socket, result, env }) {
  const child = spawn(process.execPath, [programPath('echo-server.mjs'), socket], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.write(`${JSON.stringify(result)}\n`)
  await once(child.stdout, 'data') // it says that it listens
  return { close: () => void child.kill() } // it leaves, too, when its standard input ends
}
