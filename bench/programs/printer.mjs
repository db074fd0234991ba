// @ts-check
/**
 * Prints one line a while after each key press, and in it the time at which it was printed. The clock is the
 * machine's monotonic one, so that whoever sees the line can tell how long it was on its way.
 */
import * as fs from 'node:fs'

const DELAY_MS = 5 // by then whoever pressed the key sits and waits

let count = 0
process.stdin.setRawMode(true) // no echo
process.stdin.on('data', () => {
  setTimeout(() => {
    count++
    fs.writeSync(1, `printed-${count} at ${process.hrtime.bigint()}.\r\n`)
  }, DELAY_MS)
})
fs.writeSync(1, 'ready\r\n')
