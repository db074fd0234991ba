import { createServer } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { existsSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { failure } from '../../test-support/desktop-driver.ts'
import { NetworkBroker } from './network-broker.ts'

async function serve(): Promise<number> {
  const server = createServer((_request, response) => response.end('served'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function openBroker(permissions: string[]): NetworkBroker {
  const broker = new NetworkBroker(permissions)
  onTestFinished(() => broker.close())
  return broker
}

it('opens what is granted by name, through a socket file that goes with its first connection', async () => {
  const port = await serve()
  const broker = openBroker([`net:tcp:localhost:${port}`])
  const path = await broker.open('localhost', port)
  const answer = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = net.connect(path, () => socket.write('GET / HTTP/1.0\r\n\r\n'))
    socket.on('data', (data) => (text += data.toString()))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  expect(answer).toContain('served')
  expect(existsSync(path)).toBe(false)
})

it('refuses other hosts and ports, and a name that leads inward without being granted as such', async () => {
  const port = await serve()
  const broker = openBroker([`net:tcp:localhost:${port}`, 'net:http:*', 'net:tcp:*.localhost:*'])
  expect((await failure(broker.open('localhost', port + 1))).data['permission']).toBe(
    `net:tcp:localhost:${port + 1}`,
  )
  // Granted by a star, but the address is this machine's own.
  expect((await failure(broker.open('127.0.0.1', 80))).data['permission']).toBe('net:tcp:127.0.0.1:80')
  expect((await failure(broker.open('::1', 443))).data['permission']).toBe('net:tcp:[::1]:443')
  expect((await failure(broker.open('::ffff:10.0.0.1', 80))).data['permission']).toBe(
    'net:tcp:[::ffff:10.0.0.1]:80',
  )
  // The same address in the other spellings that a connection accepts.
  for (const host of [
    '::ffff:a00:1',
    '::FFFF:7f00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::7f00:1',
    '::1%lo',
    'fe80::1%lo',
  ])
    expect([host, (await failure(broker.open(host, 80))).code]).toEqual([host, 'E_PERMISSION'])
  expect((await failure(broker.open('169.254.169.254', 80))).code).toBe('E_PERMISSION')
})
