// @ts-check
/** A Home of the bench: its host, the CLI on it, and open connections to it. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { importSource } from '../scripts/build.mjs'
import { runProcess } from './peers.mjs'

/**
 * @typedef {import('@transom/client').Client} Client
 * @typedef {(socket: string) => Promise<Client>} Connect
 */

/**
 * The product's own client, bundled, because Node 20 runs no TypeScript.
 * @returns {Promise<Connect>}
 */
export async function loadClient() {
  /** @type {typeof import('@transom/client')} */
  const { Client } = await importSource('packages/client/src/index.ts')
  /** @type {typeof import('@transom/client/unix-socket')} */
  const { connectUnixSocket } = await importSource('packages/client/src/unix-socket.ts')
  /** @type {typeof import('@transom/protocol/jsonrpc')} */
  const { RESPONSE_BYTES_MAX } = await importSource('packages/protocol/src/jsonrpc.ts')
  return async (socket) => new Client(await connectUnixSocket(socket, { frameBytesMax: RESPONSE_BYTES_MAX }))
}

export class BenchHome {
  #bench
  #connect
  /** @type {Client[]} */
  #clients = []
  #closed = false

  /**
   * @param {import('./workbench.mjs').Workbench} bench
   * @param {Connect} connect
   * @param {string} folder
   */
  constructor(bench, connect, folder) {
    this.#bench = bench
    this.#connect = connect
    this.path = folder
    this.env = { ...bench.env, TRANSOM_HOME: folder }
  }

  /** Starts the host by starting a session and ending it again. */
  async start() {
    const { session } = await this.cliCreate(['true'])
    await this.cli(['wait', session, '--exit'])
  }

  /**
   * Runs the CLI to its end and returns what it printed.
   * @param {readonly string[]} args
   */
  async cli(args) {
    return runProcess(process.execPath, [this.#bench.cli, ...args], this.env)
  }

  /** @param {readonly string[]} command */
  async cliCreate(command) {
    return { session: (await this.cli(['create', '--', ...command])).trim() }
  }

  /** The running host. */
  get host() {
    const [lock = ''] = fs.readdirSync(this.path).filter((name) => /^host-v\d+\.lock$/.test(name))
    const content = fs.readFileSync(path.join(this.path, lock), 'utf8')
    return /** @type {{ socket: string, pid: number }} */ (JSON.parse(content))
  }

  async connect() {
    return this.connectTo(this.host.socket)
  }

  /**
   * A client on another server that speaks the protocol.
   * @param {string} socket
   */
  async connectTo(socket) {
    const client = await this.#connect(socket)
    this.#clients.push(client)
    return client
  }

  /**
   * @param {Client} client
   * @param {string[]} command
   * @param {{ cols?: number, rows?: number }} [size]
   */
  async create(client, command, size = {}) {
    const { session } = await client.call('session.create', {
      command,
      cwd: this.#bench.root,
      base_env: this.env,
      ...size,
    })
    return session
  }

  /** @param {string} session */
  logPath(session) {
    return path.join(this.path, 'sessions', session, 'events.log')
  }

  /**
   * Removes what a log takes: all its segments.
   * @param {string} session
   */
  removeLog(session) {
    const folder = path.dirname(this.logPath(session))
    for (const name of fs.readdirSync(folder))
      if (/^events[.-]/.test(name)) fs.rmSync(path.join(folder, name), { force: true })
  }

  /** Ends the host with all its sessions and removes the Home. Idempotent. */
  async close() {
    if (this.#closed) return
    this.#closed = true
    for (const client of this.#clients) client.close()
    if (this.#hostRuns()) await this.cli(['host', 'stop', '--force'])
    fs.rmSync(this.path, { recursive: true, force: true, maxRetries: 5 })
  }

  #hostRuns() {
    try {
      process.kill(this.host.pid, 0)
      return true
    } catch {
      return false // never started, or it has left or died: then the row has failed and says so
    }
  }
}
