/** A browser that ends and cannot be started again: whoever waits for it is told, and nothing is left of it. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import { findChromium } from '../packages/transom/src/kinds/web/chromium-location.ts'
import { AgentBrowser } from './support/agent-browser.ts'
import { needsBrowser } from './support/needs.ts'
import { commandLinesWith, processesWith } from './support/processes.ts'
import { TestHome } from './support/test-home.ts'
import { PageServer } from './support/web.ts'

const test = needsBrowser()

let folder: string
let program: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-lost-'))
  program = path.join(folder, 'chromium')
  become(`exec ${findChromium(process.env).path} "$@"`)
  vi.stubEnv('AWI_CHROMIUM', program)
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(folder, { recursive: true })
})

/** Makes the program that is started as Chromium do this, as an update of it could. */
function become(script: string): void {
  fs.writeFileSync(`${program}.new`, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  fs.renameSync(`${program}.new`, program)
}

describe('a browser that ends and cannot be started again', () => {
  test('makes its session failed, with the reason, and ends the waits', async () => {
    await using server = await PageServer.start()
    await using home = new TestHome()
    const session = await home.ok('create', '--web', server.url('/here'), '--allow-host', '127.0.0.1')
    const client = await home.connect()
    const waited = client.call('session.wait', { session, text: 'what never comes', timeout_ms: 600_000 })
    const told = expect(waited).rejects.toMatchObject({
      code: 'session_ended',
      message: expect.stringMatching(
        /failed \(its browser ended and could not be started again.*exit code 7/,
      ) as string,
    })
    const { pid } = await client.call('session.inspect', { session })
    become('echo gone >&2; exit 7')
    process.kill(pid ?? 0, 'SIGKILL')
    await told
    expect(await client.call('session.inspect', { session })).toMatchObject({
      status: 'failed',
      ended_by: 'browser_lost',
      failure: expect.stringContaining('exit code 7') as string,
      pid: null,
    })
    await expect(client.call('session.type', { session, text: 'x' })).rejects.toMatchObject({
      code: 'session_ended',
    })
    expect(await home.ok('snapshot', session)).toContain('You are at /here')
    await home.ok('gc', '--older-than', '0s')
    expect(await home.json('list', '--all')).toMatchObject({ sessions: [] })
    expect(commandLinesWith(path.join(home.path, 'sessions', session))).toEqual([])
    client.close()
  })

  test('ends an agent’s browser with 69, and its waits with the reason', async () => {
    await using server = await PageServer.start()
    await using browser = await AgentBrowser.open(server.url('/here'))
    await browser.call('wait_for', { text: 'You are at /here' })
    const mark = '--user-data-dir='
    const chromium = processesWith(mark).find(({ pid }) => isChildOf(pid, browser.process.pid ?? 0))
    const waited = browser.fails('wait_for', { text: 'what never comes', timeout_ms: 600_000 })
    await browser.call('ping')
    const ended = once(browser.process, 'exit')
    become('exit 7')
    process.kill(chromium?.pid ?? 0, 'SIGKILL')
    expect(await waited).toMatchObject({ name: 'browser_failed' })
    expect((await ended)[0]).toBe(69)
    expect(browser.stderr).toContain('exit code 7')
    expect(fs.existsSync(browser.socketPath)).toBe(false)
  })
})

function isChildOf(pid: number, parent: number): boolean {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  return status.includes(`\nPPid:\t${parent}\n`)
}
