/** The header line of a recording. */
export interface CastInfo {
  readonly cols: number
  readonly rows: number
  /** Milliseconds since 1970. */
  readonly startMs: number
  readonly title: string
  readonly command: string
}

export type CastVersion = 2 | 3

/** The lines of an asciicast, version 2 (times from the start) or 3 (times from the event before). */
export class CastLines {
  readonly #version: CastVersion
  /** Bytes become text here; what is not UTF-8 becomes U+FFFD. A character may end in a later record. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** In microseconds, as written: rounding errors must not add up over a long recording. */
  #lastUs = 0

  constructor(version: CastVersion) {
    this.#version = version
  }

  header({ cols, rows, startMs, title, command }: CastInfo): string {
    const timestamp = Math.floor(startMs / 1000)
    const named = title === '' ? {} : { title }
    return this.#version === 2
      ? line({
          version: 2,
          width: cols,
          height: rows,
          timestamp,
          ...named,
          command,
          env: { TERM: 'xterm-256color' },
        })
      : line({ version: 3, term: { cols, rows, type: 'xterm-256color' }, timestamp, ...named, command })
  }

  output(atMs: number, bytes: Uint8Array): string {
    return this.text(atMs, this.#decoder.decode(bytes, { stream: true }))
  }

  text(atMs: number, text: string): string {
    return text === '' ? '' : this.#event(atMs, 'o', text)
  }

  resize(atMs: number, cols: number, rows: number): string {
    return this.#event(atMs, 'r', `${cols}x${rows}`)
  }

  marker(atMs: number, label: string): string {
    return this.#event(atMs, 'm', label)
  }

  /** How the program ended: only version 3 has a place for it. */
  exit(atMs: number, code: number): string {
    return this.#version === 3 ? this.#event(atMs, 'x', String(code)) : ''
  }

  /** What is left of a character that never became whole. */
  end(atMs: number): string {
    return this.text(atMs, this.#decoder.decode())
  }

  #event(atMs: number, code: 'o' | 'r' | 'm' | 'x', data: string): string {
    const atUs = Math.round(atMs * 1000)
    const timeUs = this.#version === 2 ? atUs : atUs - this.#lastUs
    this.#lastUs = atUs
    return line([timeUs / 1e6, code, data])
  }
}

/** JSON leaves DEL and the C1 controls as they are; a terminal that is shown the file would obey them. */
function line(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /[\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}
