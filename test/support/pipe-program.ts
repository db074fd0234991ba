import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'

let lastPipe = 0

/**
 * A program that prints what the test tells it to, when the test says so, and reads nothing from its terminal:
 * `cat` on a named pipe that the test writes to.
 */
export class PipeProgram {
  readonly command: readonly string[]
  readonly #fd: number

  constructor(folder: string) {
    const pipe = path.join(folder, `pipe-${++lastPipe}`)
    const { status } = spawnSync('mkfifo', [pipe])
    if (status !== 0) throw new Error(`could not make the pipe ${pipe}`)
    this.#fd = fs.openSync(pipe, 'r+') // both ways, so that opening does not wait for the program
    this.command = ['cat', pipe]
  }

  print(text: string): void {
    fs.writeSync(this.#fd, text)
  }

  close(): void {
    fs.closeSync(this.#fd)
  }
}
