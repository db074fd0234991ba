// `npm run soak -- --minutes N`: uses one host for a long time and looks whether it grows. Counts, not times: open
// files, ptys, threads and memory at the end must not exceed those after a quarter of the run by more than a tenth.
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { importSource } from './build.mjs'
import { checkGrowth, memoryBytes, minutesOption, openFiles, repeatFor, threadCount } from './soak-growth.mjs'

const CLI = fileURLToPath(new URL('../packages/transom/dist/cli.cjs', import.meta.url))
const minutes = minutesOption()

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-soak-'))
const env = {
  ...process.env,
  TRANSOM_HOME: path.join(root, 'home'),
  XDG_RUNTIME_DIR: root,
  XDG_STATE_HOME: root,
}
const { Client } = await importSource('packages/client/src/index.ts')
const { connectUnixSocket } = await importSource('packages/client/src/unix-socket.ts')

try {
  const status = JSON.parse(run('home', 'list', '--json') && run('host', 'status', '--json'))
  const client = new Client(await connectUnixSocket(status.socket, { frameBytesMax: 256 << 20 }))
  const quarter = await work(client, status.pid, minutes / 4)
  const end = await work(client, status.pid, (minutes * 3) / 4)
  client.close()
  console.log(JSON.stringify({ minutes, quarter, end }))
  checkGrowth(quarter.counts, end.counts)
} finally {
  run('host', 'stop', '--force')
  fs.rmSync(root, { recursive: true, force: true })
}

/** Keeps the host busy for some minutes, then counts what it holds. */
async function work(/** @type {any} */ client, /** @type {number} */ pid, /** @type {number} */ forMinutes) {
  const rounds = await repeatFor(forMinutes, async () => {
    await Promise.all(Array.from({ length: 4 }, () => round(client)))
    for (const folder of fs.readdirSync(path.join(root, 'home/sessions')).slice(0, -50)) {
      fs.rmSync(path.join(root, 'home/sessions', folder), { recursive: true, force: true })
    }
  })
  return { rounds: rounds * 4, counts: count(pid) }
}

async function round(/** @type {any} */ client) {
  const { session } = await client.call('session.create', { command: ['sh', '-c', 'seq 1 500; cat'] })
  await client.call('session.wait', { session, text: '500' })
  const { seq } = await client.call('session.type', { session, text: 'hello', enter: true })
  await client.call('session.wait', { session, regex: 'hello\nhello', after_seq: seq })
  const unsubscribe = await client.subscribe({ session, to: 'screen' }, () => {})
  await client.call('session.resize', { session, cols: 100, rows: 30 })
  await client.call('session.snapshot', { session, cells: true, scrollback: true })
  await unsubscribe()
  await client.call('session.destroy', { session })
  await client.call('session.snapshot', { session })
}

function count(/** @type {number} */ pid) {
  const files = openFiles(pid)
  return {
    fds: files.length,
    ptys: files.filter((target) => /ptmx|\/pts\//.test(target)).length,
    threads: threadCount(pid),
    rssBytes: memoryBytes(`/proc/${pid}/status`, 'VmRSS'),
  }
}

function run(/** @type {string[]} */ ...args) {
  return spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' }).stdout
}
