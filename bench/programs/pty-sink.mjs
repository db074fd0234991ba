// @ts-check
/**
 * `node pty-sink.mjs FILE COMMAND ARGS…`: runs a command on a pty and discards what it prints, or writes it to
 * FILE when that is not empty. Prints how long that took and how many bytes there were.
 */
import * as fs from 'node:fs'
import { BarePty } from '../bare-pty.mjs'
import { clockNs, msSince } from '../measure.mjs'

const BARRIER_BYTES = 32 // comes last and is not the program's

const [file = '', ...command] = process.argv.slice(2)
const out = file === '' ? null : fs.openSync(file, 'w')
let bytes = 0
const startNs = clockNs()
const pty = new BarePty({
  command,
  env: /** @type {Record<string, string>} */ ({ ...process.env }),
  onData: (chunk) => {
    bytes += chunk.length
    if (out !== null) fs.writeSync(out, chunk)
  },
  onEnd: () => {
    console.log(JSON.stringify({ ms: msSince(startNs), bytes: bytes - BARRIER_BYTES }))
    process.stdin.destroy() // nothing else keeps this process
  },
})
process.stdin.resume().on('end', () => {
  pty.close()
  process.exit(1)
})
