/** Nothing that others chose (names, paths, cells, errors) reaches a person's terminal as a control sequence. */
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GatewayProcess } from '../support/gateway-process.ts'
import { TestHome, type CliResult } from '../support/test-home.ts'
import { until } from '../support/until.ts'

const ESCAPES = '\u001b]0;owned\u0007 \u009b31m \u0090x\u009c \r\u007f'
const CONTROLS = /[^\P{Cc}\t\n]/u

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => home.close())

async function expectSafe(...args: string[]): Promise<CliResult> {
  const run = await home.run(args)
  expect([args, run.stdout, run.stderr]).toEqual([
    args,
    expect.not.stringMatching(CONTROLS),
    expect.not.stringMatching(CONTROLS),
  ])
  return run
}

test('not by the name of a token, in any command that shows it', async () => {
  await expectSafe('token', 'create', '--name', ESCAPES)
  await expectSafe('token', 'create', '--name', ESCAPES)
  expect((await expectSafe('token', 'list')).stdout).toContain('\\u001b]0;owned\\u0007 \\u009b31m')
  const { stdout } = await expectSafe('token', 'list', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ tokens: [{ name: ESCAPES }] })
  await expectSafe('token', 'revoke', ESCAPES)
})

test('not by a command line or a folder, in list, inspect and --json', async () => {
  const folder = path.join(home.root, `folder ${ESCAPES}`)
  fs.mkdirSync(folder)
  const create = ['create', '--name', 's', '--cwd', folder, '--', 'printf', '%s', ESCAPES]
  await expectSafe(...create)
  await home.ok('wait', 's', '--exit')
  for (const args of [
    ['list', '--all'],
    ['inspect', 's'],
    ['snapshot', 's'],
    ['log', 'verify', 's'],
  ]) {
    await expectSafe(...args)
    JSON.parse((await expectSafe(...args, '--json')).stdout)
  }
  const { stdout } = await expectSafe('list', '--all', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    sessions: [{ cwd: folder, command: ['printf', '%s', ESCAPES] }],
  })
})

test('not by an argument that is refused, nor by --debug', async () => {
  for (const args of [
    ['snapshot', ESCAPES, '--debug'],
    ['snapshot', ESCAPES, '--json'],
    ['snapshot', 'none', '--home', path.join(home.root, ESCAPES), '--debug'],
    [ESCAPES],
  ])
    expect((await expectSafe(...args)).code).not.toBe(0)
  await home.run(['host', 'stop', '--home', path.join(home.root, ESCAPES)])
})

test('not by the path of a request to serve --debug', async () => {
  const gateway = await GatewayProcess.start(home, '--debug')
  try {
    const { hostname, port } = new URL(gateway.url)
    const socket = net.connect(Number(port), hostname)
    const host = `${hostname}:${port}`
    socket.end(`GET /%1b]0;owned%07%c2%9b31m HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    socket.resume()
    await until('the request is in the debug output', () => gateway.stderr.includes('owned'))
    expect(gateway.stderr).not.toMatch(CONTROLS)
  } finally {
    await gateway.close()
  }
})
