// @ts-check
import { cliSnapshot } from './cli.mjs'
import { create } from './create.mjs'
import { flood } from './flood.mjs'
import { idleSessions } from './idle-sessions.mjs'
import { pictures } from './pictures.mjs'
import { printToWait } from './print-to-wait.mjs'
import { logSize, seq } from './seq.mjs'
import { socketSnapshot, socketType } from './socket.mjs'

/** In the order of the table. @type {readonly import('../report.mjs').Row[]} */
export const ROWS = [
  cliSnapshot,
  socketSnapshot,
  socketType,
  create,
  printToWait,
  seq,
  flood,
  idleSessions,
  pictures,
  logSize,
]
