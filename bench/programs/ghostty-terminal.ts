import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import koffi from 'koffi'

const SCROLLBACK_LINES = 1000

/** A terminal of libghostty-vt, in C: its npm package is for Bun, and its library is called through our FFI. */
export interface GhosttyTerminal {
  write(bytes: Uint8Array): void
  /** What a renderer would ask for: the state of the screen, with the rows that have changed. */
  frame(): void
  close(): void
}

/** Makes terminals of a size; null where the package has no library for this machine. */
export function loadGhostty(): ((cols: number, rows: number) => GhosttyTerminal) | null {
  const main = fileURLToPath(import.meta.resolve('libghostty-vt'))
  const folder = path.join(path.dirname(main), '../prebuilds', `${process.platform}-${process.arch}-glibc`)
  if (!fs.existsSync(folder)) return null
  const library = koffi.load(path.join(folder, 'libghostty-vt.so'))
  const shim = koffi.load(path.join(folder, 'libghostty-vt-shim.so'))
  const create = shim.func(
    'int ghostty_terminal_new_p(void *allocator, _Out_ void **terminal, uint8_t *options)',
  )
  const vtWrite = library.func(
    'void ghostty_terminal_vt_write(void *terminal, uint8_t *bytes, uint64_t length)',
  )
  const free = library.func('void ghostty_terminal_free(void *terminal)')
  const createState = library.func('int ghostty_render_state_new(void *allocator, _Out_ void **state)')
  const update = library.func('int ghostty_render_state_update(void *state, void *terminal)')
  const freeState = library.func('void ghostty_render_state_free(void *state)')
  return (cols, rows) => {
    const options = Buffer.alloc(16)
    options.writeUInt16LE(cols, 0)
    options.writeUInt16LE(rows, 2)
    options.writeBigUInt64LE(BigInt(SCROLLBACK_LINES), 8)
    const terminal = made(create, options)
    const state = made(createState)
    return {
      write: (bytes) => vtWrite(terminal, bytes, bytes.length),
      frame: () => update(state, terminal),
      close: () => {
        freeState(state)
        free(terminal)
      },
    }
  }
}

function made(create: (...args: unknown[]) => unknown, ...options: unknown[]): unknown {
  const out = [null]
  const result = create(null, out, ...options)
  if (result !== 0) throw new Error(`libghostty-vt refused with ${String(result)}`)
  return out[0]
}
