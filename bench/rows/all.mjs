// @ts-check
import { blockPrompt } from './block-prompt.mjs'
import { carbonyl } from './carbonyl.mjs'
import { cliSnapshot } from './cli.mjs'
import { create } from './create.mjs'
import { flood } from './flood.mjs'
import { gatewaySnapshot } from './gateway.mjs'
import { idleSessions } from './idle-sessions.mjs'
import { mcpTokens } from './mcp-tokens.mjs'
import { pastSnapshot } from './past-snapshot.mjs'
import { pictures } from './pictures.mjs'
import { printToWait } from './print-to-wait.mjs'
import { logSize, seq } from './seq.mjs'
import { socketSnapshot, socketType } from './socket.mjs'
import { stalls } from './stalls.mjs'
import { terminalEngine } from './terminal-engine.mjs'
import { waitForHostile, waitForText } from './wait-for.mjs'
import { web } from './web.mjs'

/** In the order of the table. @type {readonly import('../report.mjs').Row[]} */
export const ROWS = [
  cliSnapshot,
  socketSnapshot,
  socketType,
  gatewaySnapshot,
  mcpTokens,
  create,
  printToWait,
  blockPrompt,
  waitForText,
  waitForHostile,
  seq,
  flood,
  stalls,
  idleSessions,
  terminalEngine,
  pastSnapshot,
  pictures,
  logSize,
  web,
  carbonyl,
]
