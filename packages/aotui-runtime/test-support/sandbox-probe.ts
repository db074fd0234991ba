import { createServer } from 'node:http'
import { symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeApp, makeTempDir } from './app-folder.ts'
import type { DesktopConfig } from '../src/index.ts'
import { openApp } from './desktop-driver.ts'

/** An app that tries things and shows how each went: `ok …`, or the error's code and the permission it names. */
const PROBE = `
  import fs, { readFileSync, writeFileSync } from 'node:fs'
  import fsp from 'node:fs/promises'
  import net from 'node:net'
  import dns from 'node:dns/promises'
  import dgram from 'node:dgram'
  import http from 'node:http'
  import { execFile, execFileSync, spawn } from 'node:child_process'
  import { Worker } from 'node:worker_threads'
  import { promisify } from 'node:util'

  const tcp = (host, port) => new Promise((resolve, reject) => {
    const socket = net.connect({ host, port }, () => { socket.destroy(); resolve('connected') })
    socket.on('error', reject)
  })
  const probes = {
    read: ({ path }) => readFileSync(path, 'utf8'),
    read_promise: async ({ path }) => await fsp.readFile(path, 'utf8'),
    read_callback: ({ path }) => promisify(fs.readFile)(path, 'utf8'),
    read_stream: ({ path }) => new Promise((resolve, reject) => {
      let text = ''
      fs.createReadStream(path, 'utf8').on('data', (part) => (text += part)).on('end', () => resolve(text)).on('error', reject)
    }),
    write: ({ path }) => (writeFileSync(path, 'written'), readFileSync(path, 'utf8')),
    copy: ({ path, to }) => (fs.copyFileSync(path, to), readFileSync(to, 'utf8')),
    link: ({ path, to }) => String(fs.symlinkSync(path, to)),
    sqlite: async ({ path }) => { const { DatabaseSync } = await import('node:sqlite'); return String(new DatabaseSync(path)) },
    spawn: ({ program, args }) => promisify(execFile)(program, args).then(({ stdout }) => stdout.trim()),
    spawn_sync: ({ program, args }) => execFileSync(program, args, { encoding: 'utf8' }).trim(),
    spawn_missing: ({ program }) => new Promise((resolve, reject) => spawn(program).on('exit', resolve).on('error', reject)),
    kill: ({ pid }) => String(process.kill(pid, 0)),
    kill_inner: ({ pid }) => String(process._kill(pid, 0)),
    debug_process: ({ pid }) => String(process._debugProcess(pid)),
    trace: async () => String((await import('node:trace_events')).createTracing({ categories: ['v8'] })),
    renice: async ({ pid }) => String((await import('node:os')).setPriority(pid, 5)),
    inspect: async () => String(new (await import('node:inspector/promises')).Session()),
    heap: async () => String((await import('node:v8')).setHeapSnapshotNearHeapLimit(1)),
    report_on_signal: ({ path }) => { process.report.directory = path; return process.report.directory },
    report: ({ path }) => process.report.writeReport(path),
    wasi: async () => String(new (await import('node:wasi')).WASI({ version: 'preview1' })),
    buffers: ({ mb }) => { const all = []; while (all.length < mb) all.push(Buffer.alloc(1 << 20, 1)); return all.length + ' MB' },
    env: ({ name }) => String(process.env[name]),
    env_names: () => Object.keys(process.env).join(','),
    tcp: ({ host, port }) => tcp(host, port),
    fetch: async ({ url }) => (await fetch(url)).text(),
    dns: async ({ host }) => String((await dns.lookup(host)).address),
    udp: () => new Promise((resolve, reject) => { const s = dgram.createSocket('udp4'); s.on('error', reject); s.send('x', 9, '127.0.0.1', (e) => e ? reject(e) : resolve('sent')) }),
    listen: () => new Promise((resolve, reject) => { const s = http.createServer(); s.on('error', reject); s.listen(0, () => resolve('listening')) }),
    worker: () => new Promise((resolve, reject) => { const w = new Worker('0', { eval: true }); w.on('error', reject); w.on('exit', resolve) }),
    addon: () => process.dlopen({ exports: {} }, '/nowhere.node'),
    binding: () => String(process.binding('fs')),
  }
  document.body.innerHTML = '<main view="Probe"><pre></pre><button operation="probe">x</button></main>'
  const describe = (error) => [error.code ?? error.cause?.code ?? error.name, error.permission ?? error.cause?.permission ?? ''].join(' ').trim()
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) => detail.waitUntil((async () => {
    let result
    try { result = 'ok ' + await probes[detail.args.what](detail.args) } catch (error) { result = describe(error) }
    document.querySelector('pre').textContent = result
  })()))
`

export interface Probe {
  readonly run: (what: string, args?: Record<string, unknown>) => Promise<string>
  /** The developer log. */
  readonly log: () => string
  readonly appDir: string
  readonly scopeDir: string
  readonly outsideDir: string
  readonly port: number
  readonly otherPort: number
}

/** A probe app of a tier, with a granted folder, a folder that is not, and two servers of which one is granted. */
export async function openProbe(
  tier: 'standard' | 'strict',
  extra: string[] = [],
  config: DesktopConfig = {},
): Promise<Probe> {
  const scopeDir = makeTempDir()
  const outsideDir = makeTempDir()
  writeFileSync(join(scopeDir, 'file'), 'inside')
  writeFileSync(join(outsideDir, 'secret'), 'secret')
  symlinkSync(join(outsideDir, 'secret'), join(scopeDir, 'link'))
  symlinkSync(outsideDir, join(scopeDir, 'dirlink'))
  const port = await serve()
  const otherPort = await serve()
  const permissions = [
    `fs:write:${scopeDir}`,
    `net:tcp:127.0.0.1:${port}`,
    `net:tcp:localhost:${port}`,
    'env:read:AOTUI_TEST_OPEN',
    ...extra,
  ]
  const appDir = makeApp({ main: PROBE, manifest: { tier, permissions } })
  const driver = await openApp(appDir, config)
  return {
    run: async (what, args = {}) => {
      await driver.lease.execute({ app: 'app_1', operation: 'probe', args: { what, ...args } })
      return (/```\n([\s\S]*?)\n```/.exec(driver.view('Probe'))?.[1] ?? '').trim()
    },
    log: () => driver.developerLog(),
    appDir,
    scopeDir,
    outsideDir,
    port,
    otherPort,
  }
}

async function serve(): Promise<number> {
  const server = createServer((_request, response) => response.end('served'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
