/**
 * The host process of the product: its kinds of session are terminals and web pages. Loaded by `awi-tty open`, it runs
 * nothing and gives the host that serves one page, to agents or to a person.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { runHost } from '../host/run-host.ts'
import { hostKinds } from './host-kinds.ts'

export { serveAgents } from './agent-host.ts'
export { browseInTerminal } from './persons-browser.ts'

const program = fileURLToPath(import.meta.url)
if (process.argv[1] !== undefined && fs.realpathSync(process.argv[1]) === program)
  await runHost((services) => hostKinds(path.dirname(program), services))
