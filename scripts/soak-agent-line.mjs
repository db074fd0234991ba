// A client of an agent socket for `soak-web.mjs`: one connection, one request at a time.
import * as net from 'node:net'
import * as readline from 'node:readline'

/** Longer than any answer may take: past this something waits for something that never comes. */
const DEADLOCK_MS = 90_000

export class AgentLine {
  /** @type {net.Socket} */
  #socket
  /** @type {Map<number, (answer: any) => void>} */
  #waiting = new Map()
  #lastId = 0

  static async connect(/** @type {string} */ path) {
    const socket = net.connect(path)
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new AgentLine(socket)
  }

  constructor(/** @type {net.Socket} */ socket) {
    this.#socket = socket
    socket.on('error', () => {}) // whoever waits for an answer gets none, and says so
    readline.createInterface({ input: socket }).on('line', (line) => {
      const answer = JSON.parse(line)
      this.#waiting.get(answer.id)?.(answer)
    })
  }

  /** The result; an error of the method ends the soak. */
  async call(/** @type {string} */ method, params = {}) {
    const { result, error } = await this.#ask(method, params)
    if (error !== undefined) throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(error)}`)
    return result
  }

  /** An error of one of these names, or none: what happens to a page that is killed depends on the moment. */
  async fails(/** @type {string} */ method, /** @type {object} */ params, /** @type {string[]} */ names) {
    const { error } = await this.#ask(method, params)
    if (error !== undefined && !names.includes(error.data?.code))
      throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(error)}`)
  }

  /** Asks and leaves before the answer. */
  abandon(/** @type {string} */ method, /** @type {object} */ params) {
    this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#lastId, method, params })}\n`, () =>
      this.close(),
    )
  }

  close() {
    this.#socket.destroy()
  }

  /** @returns {Promise<any>} */
  async #ask(/** @type {string} */ method, /** @type {object} */ params) {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`no answer to ${method} within ${DEADLOCK_MS / 1000} s`))
      const timer = setTimeout(late, DEADLOCK_MS)
      this.#waiting.set(id, (answer) => {
        this.#waiting.delete(id)
        clearTimeout(timer)
        resolve(answer)
      })
      this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  }
}
