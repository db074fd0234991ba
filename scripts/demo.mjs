// `npm run demo`: the main job, step by step, through the same command that users type.
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../packages/transom/dist/cli.cjs', import.meta.url))
const MENU = fileURLToPath(new URL('demo-menu.mjs', import.meta.url))
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-demo-'))
const env = { ...process.env, TRANSOM_HOME: home, PS1: '$ ' }
const bold = process.stdout.isTTY && !process.env['NO_COLOR'] ? ['\x1b[1m', '\x1b[0m'] : ['', '']

try {
  say('Open a session with a shell in it, and run a command.')
  transom('create', '--name', 'shell', '--cols', '60', '--rows', '8', '--', 'sh')
  transom('type', 'shell', 'echo "6 times 7 is $((6 * 7))"', '--enter')
  say('Wait for what the command prints. The echo of what was typed does not count.')
  transom('wait', 'shell', '--text', '6 times 7 is', '--after-input')
  transom('snapshot', 'shell')

  say('Drive a full-screen program: keys are encoded as it asked for them.')
  transom('create', '--name', 'menu', '--cols', '44', '--rows', '10', '--', process.execPath, MENU)
  transom('wait', 'menu', '--text', '1 of 4')
  transom('keys', 'menu', 'Down', 'Down')
  transom('wait', 'menu', '--text', '3 of 4', '--after-input')
  transom('snapshot', 'menu')
  transom('keys', 'menu', 'Enter')
  transom('wait', 'menu', '--exit')

  say('A session that has ended still tells what it showed and how it ended.')
  transom('snapshot', 'menu')
  transom('list', '--all')
  const { log } = JSON.parse(transom('inspect', 'menu', '--json'))

  say('Everything that happened is in the Event Log:')
  console.log(`${log.path} (${log.bytes} bytes)`)
} finally {
  spawnSync(process.execPath, [CLI, 'host', 'stop', '--force'], { env })
}

function say(/** @type {string} */ text) {
  console.log(`\n${bold[0]}# ${text}${bold[1]}`)
}

/** Runs one command, showing it and what it prints. */
function transom(/** @type {string[]} */ ...args) {
  console.log(`$ transom ${args.map(quote).join(' ')}`)
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' })
  process.stdout.write(args.includes('--json') ? '' : stdout)
  if (status !== 0) throw new Error(`exit status ${status}: ${stderr}`)
  return stdout
}

function quote(/** @type {string} */ word) {
  if (word === process.execPath) return 'node'
  if (word === MENU) return 'scripts/demo-menu.mjs'
  return /^[\w./:=-]+$/.test(word) ? word : `'${word}'`
}
