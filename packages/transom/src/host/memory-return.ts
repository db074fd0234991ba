/** After a session or a connection came or went. Longer than what usually follows: an ended log is compressed. */
const DELAY_MS = 2_000

/**
 * Returns freed memory to the system. The C library keeps what buffers of output, requests and compression took, also
 * in a host that is idle from then on.
 */
export class MemoryReturn {
  readonly #returnMemory: () => void
  #isScheduled = false

  constructor(returnMemory: () => void) {
    this.#returnMemory = returnMemory
  }

  /** Has it done soon: once, however often this is called until then. Does not keep the process alive. */
  schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setTimeout(() => {
      this.#isScheduled = false
      this.#returnMemory()
    }, DELAY_MS).unref()
  }
}
