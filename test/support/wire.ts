import * as net from 'node:net'

interface Answer {
  readonly id: string | number | null
  readonly result?: Record<string, unknown>
  readonly error?: { code: number; message: string; data: { code: string; details: Record<string, unknown> } }
}

/** A connection on which a test may send what no proper client would. */
export class Wire {
  readonly #socket: net.Socket
  readonly #received: Answer[] = []
  readonly #batches: Answer[][] = []
  #wake = () => {}
  #ended = false
  #rest = ''

  private constructor(socket: net.Socket) {
    this.#socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => this.#onData(chunk))
    socket.on('error', () => {}) // the close tells
    socket.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  static async connect(path: string): Promise<Wire> {
    const socket = net.connect(path)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new Wire(socket)
  }

  sendRaw(bytes: string | Uint8Array): void {
    this.#socket.write(bytes)
  }

  send(message: unknown): void {
    this.sendRaw(`${JSON.stringify(message)}\n`)
  }

  request(id: string | number, method: string, params: unknown = {}): void {
    this.send({ jsonrpc: '2.0', id, method, params })
  }

  /** The next answer with this id, whatever came before it; null is the id of what could not be read. */
  async answer(id: string | number | null): Promise<Answer> {
    for (;;) {
      const index = this.#received.findIndex((answer) => answer.id === id)
      const [found] = index < 0 ? [] : this.#received.splice(index, 1)
      if (found !== undefined) return found
      if (this.#ended) throw new Error(`the connection ended before an answer to ${id}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** The next answer to a batch. */
  async batchAnswer(): Promise<Answer[]> {
    for (;;) {
      const found = this.#batches.shift()
      if (found !== undefined) return found
      if (this.#ended) throw new Error('the connection ended before an answer to a batch')
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Sends a request and returns its answer. */
  async call(id: string | number, method: string, params: unknown = {}): Promise<Answer> {
    this.request(id, method, params)
    return this.answer(id)
  }

  /** Whether an answer with this id has come and not been taken. */
  has(id: string | number | null): boolean {
    return this.#received.some((answer) => answer.id === id)
  }

  /** Goes without a word, as a killed client does. */
  vanish(): void {
    this.#socket.destroy()
  }

  #onData(chunk: string): void {
    const lines = `${this.#rest}${chunk}`.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line) as Answer | Answer[]
      if (Array.isArray(message)) this.#batches.push(message)
      else if ('id' in message) this.#received.push(message)
    }
    this.#wake()
  }
}
