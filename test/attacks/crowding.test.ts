/** What other users and greedy clients of one machine try: to take the places of everyone else at a gateway. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asNobody, nobodyCanRun } from '../support/as-nobody.ts'
import { GatewayProcess, upgradeStatus } from '../support/gateway-process.ts'
import { needsThat } from '../support/needs.ts'
import { TestHome } from '../support/test-home.ts'

let home: TestHome
let gateway: GatewayProcess
let session: string

beforeAll(async () => {
  home = new TestHome()
  gateway = await GatewayProcess.start(home, '--rate-limit', '100000')
  session = await home.ok('create', '--', 'cat')
})

afterAll(async () => {
  await gateway.close()
  await home.close()
})

/** Opens connections and sends nothing, until its standard input ends. */
const IDLE_SOCKETS = `
  const [port, count] = process.argv.slice(1).map(Number)
  let left = count
  const arrived = () => --left === 0 && process.stdout.write('open\\n')
  for (let index = 0; index < count; index++)
    require('node:net').connect(port, '127.0.0.1').once('connect', arrived).on('error', () => {})
  process.stdin.resume().on('end', () => process.exit())`

needsThat(nobodyCanRun(), 'root, and a Node that every user can run')(
  'idle sockets of another user: 900 lock out neither a token nor a waiting connection of ours',
  async () => {
    const waiting = net.connect(gateway.port, '127.0.0.1')
    await once(waiting, 'connect')
    const [command = '', ...args] = asNobody(
      process.execPath,
      '-e',
      IDLE_SOCKETS,
      String(gateway.port),
      '900',
    )
    const other = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      await once(other.stdout, 'data')
      expect((await gateway.call('session.inspect', { session })).status).toBe(200)
      expect(await upgradeStatus(gateway.webSocket())).toBe(101)
      waiting.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${gateway.port}\r\n\r\n`)
      const [answer] = (await once(waiting, 'data')) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200/)
    } finally {
      waiting.destroy()
      other.stdin.end()
      await once(other, 'exit')
    }
  },
)

test('streams: one read token has its share, and another token still gets one', async () => {
  const reader = await home.ok('token', 'create', '--scope', 'read')
  const statuses = []
  const open = []
  for (let index = 0; index < 70; index++) {
    const webSocket = gateway.webSocket(reader)
    statuses.push(
      await new Promise((resolve, reject) => {
        webSocket.on('open', () => resolve(101))
        webSocket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
        webSocket.on('error', reject)
      }),
    )
    open.push(webSocket)
  }
  expect(statuses.filter((status) => status === 101)).toHaveLength(64)
  expect(statuses.filter((status) => status === 429)).toHaveLength(6)
  expect(await upgradeStatus(gateway.webSocket())).toBe(101)
  for (const webSocket of open) webSocket.terminate()
})

test('subscriptions: of 300 asked for at once on a connection 256 are made', async () => {
  const webSocket = gateway.webSocket()
  await once(webSocket, 'open')
  const codes: string[] = []
  await new Promise<void>((resolve) => {
    let asked = 0
    const ask = () => {
      const params = { session, to: 'screen' }
      webSocket.send(JSON.stringify({ jsonrpc: '2.0', id: ++asked, method: 'session.subscribe', params }))
    }
    webSocket.on('message', (data: Buffer) => {
      const { id, error } = JSON.parse(String(data)) as {
        id?: number
        error?: { data: { code: string } }
      }
      if (id === undefined) return // a message of a subscription
      codes.push(error?.data.code ?? 'ok')
      if (asked < 300) ask()
      if (codes.length === 300) resolve()
    })
    for (let inFlight = 0; inFlight < 120; inFlight++) ask() // as many as a connection takes, nearly
  })
  webSocket.terminate()
  expect(codes.filter((code) => code === 'ok')).toHaveLength(256)
  expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(44)
})
