import * as fs from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { Deferred } from '../../lib/deferred.ts'
import { loadPtyBinding } from './pty-binding.ts'
import { PtyReader } from './pty-reader.ts'

const undo: (() => void)[] = []

afterEach(() => {
  for (const step of undo.splice(0).toReversed()) step()
})

/** A pty whose program prints `text` and ends; its other end is held open, so that nothing of it is lost. */
function openPty(text: string): number {
  const { binding, helperPath } = loadPtyBinding()
  const env = [`PATH=${process.env['PATH'] ?? ''}`]
  const argv = ['-c', `printf ${text}`]
  const pty = binding.fork('sh', argv, env, '/', 80, 24, -1, -1, true, helperPath, () => {})
  const slave = fs.openSync(pty.pty, fs.constants.O_RDWR | fs.constants.O_NOCTTY)
  undo.push(() => fs.closeSync(slave))
  return pty.fd
}

/** The first piece that a reader passes on, with `read` for what comes after the first read. */
async function readPiece(read: (into: Uint8Array) => number): Promise<Buffer> {
  const piece = new Deferred<Buffer>()
  const turnLength = (bytes: Buffer) => bytes.length
  const sink = { data: (bytes: Buffer) => piece.resolve(bytes), turnLength, failed: () => {} }
  const reader = new PtyReader(openPty('first'), sink, (_, into) => read(into))
  undo.push(() => reader.close())
  return piece.promise
}

test('what a pty has is one piece, however many reads it takes', async () => {
  const more = ['second'.padEnd(3000), 'third']
  const piece = await readPiece((into) => Buffer.from(into.buffer, into.byteOffset).write(more.shift() ?? ''))
  expect(String(piece)).toBe(`first${'second'.padEnd(3000)}third`)
})

test('reading ends for now with a short read: the program has been caught up with', async () => {
  let reads = 0
  const piece = await readPiece((into) => into.subarray(0, ++reads * 100).fill(0x79).length)
  expect(piece.length).toBe('first'.length + 100)
})

test('a program that prints without end is left for the others after 8 KiB', async () => {
  const piece = await readPiece((into) => into.subarray(0, 4096).fill(0x79).length)
  expect(piece.length).toBe('first'.length + 2 * 4096)
})

test('what takes long is passed on in turns, and nothing is read before the last of it', async () => {
  const pieces: string[] = []
  const all = new Deferred<void>()
  let reads = 0
  const sink = {
    data: (bytes: Buffer) => {
      pieces.push(String(bytes))
      if (pieces.join('').length === 'first'.length) all.resolve()
    },
    turnLength: () => 2,
    failed: () => {},
  }
  const reader = new PtyReader(openPty('first'), sink, () => (reads++, 0))
  undo.push(() => reader.close())
  await all.promise
  expect([pieces, reads, reader.holding]).toEqual([['fi', 'rs', 't'], 1, false])
})
