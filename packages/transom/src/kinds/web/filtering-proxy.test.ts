import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as http from 'node:http'
import * as net from 'node:net'
import * as os from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { needsThat } from '../../../../../test/support/needs.ts'
import { Scope } from '../../lib/scope.ts'
import { FilteringProxy, type ProxyProblem } from './filtering-proxy.ts'
import { hostsEntries } from './name-resolver.ts'
import { UrlPolicy } from './url-policy.ts'

let site: http.Server
let sitePort: number
let seen: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[]
let problems: ProxyProblem[]
const opened: FilteringProxy[] = []

beforeEach(async () => {
  seen = []
  problems = []
  site = http.createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      if (request.url === '/to-loopback') {
        response.writeHead(302, { Location: `http://127.0.0.1:${sitePort}/secret` })
        response.end()
      } else if (request.url === '/broken') {
        response.writeHead(200, { 'Content-Length': 100 })
        response.write('half')
        setImmediate(() => request.socket.destroy())
      } else {
        response.writeHead(200, { 'X-Odd': ['one', 'two'], Connection: 'close, X-Hop', 'X-Hop': 'gone' })
        response.end(`hello ${request.url}`)
      }
    })
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  sitePort = (site.address() as net.AddressInfo).port
})

afterEach(async () => {
  for (const proxy of opened.splice(0)) await proxy.close()
  site.closeAllConnections()
  site.close()
})

/** A proxy that finds site.test and others on loopback; only site.test is allowed to be there. */
async function openProxy(
  names: Record<string, string[]> = {},
  allowHosts = ['site.test'],
): Promise<FilteringProxy> {
  const proxy = await FilteringProxy.open({
    policy: new UrlPolicy({ allowHosts }),
    resolve: async (name) => ({ 'site.test': ['127.0.0.1'], ...names })[name] ?? [],
    onProblem: (problem) => problems.push(problem),
  })
  opened.push(proxy)
  return proxy
}

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** Asks for a URL through a proxy as browsers do: the whole URL as the request's target. */
async function get(
  proxy: FilteringProxy,
  target: string,
  options: http.RequestOptions = {},
  body = '',
): Promise<Answer> {
  const [host, port] = proxy.address.split(':')
  const request = http.request({ host, port, path: target, agent: false, ...options })
  request.end(body)
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: text }
}

/** The status line of a tunnel, and its socket. */
async function tunnel(
  proxy: FilteringProxy,
  authority: string,
): Promise<{ status: number; socket: net.Socket }> {
  const [host, port] = proxy.address.split(':')
  const request = http.request({ host, port, method: 'CONNECT', path: authority, agent: false })
  request.end()
  const [answer, socket] = (await once(request, 'connect')) as [http.IncomingMessage, net.Socket]
  return { status: answer.statusCode ?? 0, socket }
}

describe('allowed requests go through', () => {
  test('a request and its answer, without what concerns a single connection', async () => {
    const proxy = await openProxy()
    const headers = {
      'Proxy-Connection': 'keep-alive',
      'X-Own': 'kept',
      Connection: 'X-Private',
      'X-Private': 'no',
    }
    const answer = await get(proxy, `http://site.test:${sitePort}/page?q=1`, { headers })
    expect(answer).toMatchObject({ status: 200, body: 'hello /page?q=1' })
    expect(answer.headers).toMatchObject({ 'x-odd': 'one, two' })
    expect(answer.headers).not.toHaveProperty('x-hop')
    expect(seen[0]?.headers).toMatchObject({ host: `site.test:${sitePort}`, 'x-own': 'kept' })
    expect(seen[0]?.headers).not.toHaveProperty('proxy-connection')
    expect(seen[0]?.headers).not.toHaveProperty('x-private')
  })

  test('a body, with its length or in chunks', async () => {
    const proxy = await openProxy()
    const url = `http://site.test:${sitePort}/post`
    await get(proxy, url, { method: 'POST', headers: { 'Content-Length': 5 } }, 'whole')
    await get(proxy, url, { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } }, 'chunks')
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ['POST', 'whole'],
      ['POST', 'chunks'],
    ])
  })

  test('a tunnel, in which bytes are not touched', async () => {
    const proxy = await openProxy()
    const { status, socket } = await tunnel(proxy, `site.test:${sitePort}`)
    expect(status).toBe(200)
    socket.end(`GET /inside HTTP/1.0\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toContain('hello /inside')
  })

  test('an answer that the server breaks off is broken off, not completed', async () => {
    const proxy = await openProxy()
    await expect(get(proxy, `http://site.test:${sitePort}/broken`)).rejects.toThrow(/aborted/)
  })

  test.each([
    ['a status below 100', 'HTTP/1.1 042 Strange'],
    ['a control character in the reason', 'HTTP/1.1 200 O\x01K'],
  ])('an answer that cannot be passed on (%s) is reported to the browser as 502', async (_what, head) => {
    const odd = net.createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => socket.end(`${head}\r\nContent-Type: text/html\r\n\r\n<h1>x</h1>`, 'latin1'))
    })
    odd.listen(0, '127.0.0.1')
    await once(odd, 'listening')
    const proxy = await openProxy()
    const { port } = odd.address() as net.AddressInfo
    const answer = await get(proxy, `http://site.test:${port}/`)
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('not valid HTTP') })
    odd.close()
  })

  test('an error in the handling of a connection goes to the owner of the proxy', async () => {
    const failed = new Promise((resolve) => {
      const scope = new Scope(resolve)
      void FilteringProxy.open({
        policy: new UrlPolicy({}),
        scope,
        readPeerUid: async () => Promise.reject(new Error('a bug')),
      }).then((proxy) => {
        opened.push(proxy)
        const [host, port] = proxy.address.split(':')
        net.connect({ host: host ?? '', port: Number(port) }).on('error', () => {})
      })
    })
    expect(await failed).toEqual(new Error('a bug'))
  })

  test('localhost is this machine without a DNS query', async () => {
    const proxy = await openProxy({ 'app.localhost': ['192.0.2.1'] }, ['app.localhost'])
    expect((await get(proxy, `http://app.localhost:${sitePort}/`)).body).toBe('hello /')
  })
})

describe('other requests are refused before any connection', () => {
  const WAYS: readonly (readonly [string, string])[] = [
    ['127.0.0.1', 'loopback'],
    ['localhost', 'loopback'],
    ['localhost.', 'loopback'],
    ['0x7f.1', 'loopback'],
    ['2130706433', 'loopback'],
    ['0177.0.0.1', 'loopback'],
    ['127.0.0.1.', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['[::1]', 'loopback'],
    ['[::ffff:127.0.0.1]', 'loopback'],
    ['[::ffff:7f00:1]', 'loopback'],
    ['[64:ff9b::127.0.0.1]', 'loopback'],
    ['169.254.169.254', 'metadata'],
    ['[::ffff:169.254.169.254]', 'metadata'],
    ['10.0.0.1', 'private'],
    ['rebound.test', 'loopback'],
    ['mapped.test', 'loopback'],
    ['metadata.test', 'metadata'],
  ]
  const names = {
    'rebound.test': ['127.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'metadata.test': ['169.254.169.254'],
  }

  test.each(WAYS)('a request for %s, as %s', async (host, rule) => {
    const proxy = await openProxy(names)
    const url = `http://${host}:${sitePort}/secret`
    const answer = await get(proxy, url)
    expect([answer.status, answer.headers['content-security-policy']]).toEqual([403, "default-src 'none'"])
    expect(answer.body).toContain('start the browser with allow_hosts')
    expect(seen).toEqual([])
    expect(problems).toMatchObject([{ kind: 'refused', rule }])
    expect(proxy.problemAt(url)).toMatchObject({ code: 'url_refused', details: { rule, url } })
  })

  test.each(WAYS)('a tunnel to %s, as %s', async (host, rule) => {
    const proxy = await openProxy(names)
    const { status, socket } = await tunnel(proxy, `${host}:${sitePort}`)
    socket.destroy()
    expect(status).toBe(403)
    expect(seen).toEqual([])
    expect(problems).toMatchObject([{ kind: 'refused', rule }])
  })

  test('a redirect to loopback is handed back, and refused when it is followed', async () => {
    const proxy = await openProxy()
    const redirect = await get(proxy, `http://site.test:${sitePort}/to-loopback`)
    expect(redirect.status).toBe(302)
    expect((await get(proxy, redirect.headers.location ?? '')).status).toBe(403)
    expect(seen.map(({ url }) => url)).toEqual(['/to-loopback'])
  })

  test('a name that changes its address is asked for once, and reached where it was judged to be', async () => {
    let asked = 0
    const proxy = await FilteringProxy.open({
      policy: new UrlPolicy({ allowHosts: ['127.0.0.1'] }),
      resolve: async () => (++asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']),
    })
    opened.push(proxy)
    const url = `http://turning.test:${sitePort}/`
    expect((await get(proxy, url)).status).toBe(200)
    expect(asked).toBe(1)
    expect((await get(proxy, url)).status).toBe(403)
  })

  test('of several addresses only those are tried that are allowed', async () => {
    const proxy = await openProxy({ 'both.test': ['10.0.0.1', '127.0.0.1'] }, ['127.0.0.1'])
    expect((await get(proxy, `http://both.test:${sitePort}/`)).body).toBe('hello /')
  })

  test('a host that is allowed at one port is not at another', async () => {
    const proxy = await openProxy({}, [`127.0.0.1:${sitePort + 1}`])
    expect((await get(proxy, `http://127.0.0.1:${sitePort}/`)).status).toBe(403)
  })

  test('the proxy itself, even where loopback is allowed', async () => {
    const proxy = await openProxy({}, ['127.0.0.0/8', 'localhost'])
    expect((await get(proxy, `http://${proxy.address}/`)).status).toBe(403)
    expect((await get(proxy, `http://localhost:${proxy.address.split(':')[1]}/`)).status).toBe(403)
    expect(problems.map(({ rule }) => rule)).toEqual(['own_proxy', 'own_proxy'])
  })
})

describe('malformed requests get an answer', () => {
  test.each(['/', '*', `https://site.test/`, 'ftp://site.test/', 'file:///etc/passwd'])(
    'the target %s with 400',
    async (target) => {
      expect((await get(await openProxy(), target)).status).toBe(400)
    },
  )

  test('a name without an address with 502, saying so', async () => {
    const proxy = await openProxy()
    const answer = await get(proxy, 'http://nowhere.test/')
    expect(answer.status).toBe(502)
    expect(answer.body).toContain('the name nowhere.test has no address')
    expect(proxy.problemAt('http://nowhere.test/')?.message).toContain('nowhere.test has no address')
  })

  test('a closed port with 502', async () => {
    const closed = net.createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as net.AddressInfo
    closed.close()
    await once(closed, 'close')
    expect((await get(await openProxy(), `http://site.test:${port}/`)).status).toBe(502)
  })

  test('words of a page inside the error page stay words', async () => {
    const { body } = await get(await openProxy(), 'http://127.0.0.1/<script>alert(1)</script>')
    expect(body).not.toContain('<script>')
  })
})

describe('the proxy is this user’s alone', () => {
  test('it listens on loopback, and on no other address of this machine', async () => {
    const proxy = await openProxy()
    expect(proxy.address).toMatch(/^127\.0\.0\.1:\d+$/)
    const others = Object.values(os.networkInterfaces()).flatMap((list) => list ?? [])
    for (const { address, internal, family } of others) {
      if (internal || family !== 'IPv4') continue
      const socket = net.connect(Number(proxy.address.split(':')[1]), address)
      await expect(once(socket, 'connect')).rejects.toThrow(/ECONNREFUSED/)
    }
  })

  const asRoot = needsThat(process.getuid?.() === 0, 'root')
  asRoot('another user’s connection is closed without a word', async () => {
    const proxy = await openProxy()
    const script = `
      const socket = require('net').connect(${proxy.address.split(':')[1]}, '127.0.0.1')
      socket.write('GET http://site.test:${sitePort}/ HTTP/1.1\\r\\nHost: site.test\\r\\n\\r\\n')
      socket.on('data', (data) => console.log(String(data)))
      socket.on('error', () => {})
      socket.on('close', () => console.log('closed'))`
    const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups']
    const child = spawn('setpriv', [...nobody, process.execPath, '-e', script])
    let said = ''
    child.stdout.on('data', (chunk) => (said += String(chunk)))
    await once(child, 'close')
    expect(said).toBe('closed\n')
    expect(seen).toEqual([])
  })

  test('if the kernel does not report the owner of a connection, the password decides', async () => {
    const proxy = await FilteringProxy.open({
      policy: new UrlPolicy({ allowHosts: ['127.0.0.1'] }),
      readPeerUid: async () => null,
    })
    opened.push(proxy)
    const url = `http://127.0.0.1:${sitePort}/`
    const asked = await get(proxy, url)
    expect([asked.status, asked.headers['proxy-authenticate']]).toEqual([407, 'Basic realm="Transom"'])
    expect((await tunnel(proxy, `127.0.0.1:${sitePort}`)).status).toBe(407)
    const basic = (password: string) => `Basic ${Buffer.from(`transom:${password}`).toString('base64')}`
    const wrong = { 'Proxy-Authorization': basic('x'.repeat(proxy.credentials.password.length)) }
    expect((await get(proxy, url, { headers: wrong })).status).toBe(407)
    expect(seen).toEqual([])
    const right = { 'Proxy-Authorization': basic(proxy.credentials.password) }
    expect((await get(proxy, url, { headers: right })).status).toBe(200)
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('after close() the port is closed, and open tunnels have ended', async () => {
    const proxy = await openProxy()
    const { socket } = await tunnel(proxy, `site.test:${sitePort}`)
    await proxy.close()
    await once(socket.resume(), 'close')
    const again = net.connect(Number(proxy.address.split(':')[1]), '127.0.0.1')
    await expect(once(again, 'connect')).rejects.toThrow(/ECONNREFUSED/)
    await proxy.close()
  })
})

test('a hosts file is read as the C library reads it', () => {
  const text =
    '127.0.0.1 localhost\n# 1.2.3.4 gone.test\n10.0.0.5\tdev.test Dev2.test # note\nfd00::1 dev.test\nx dev.test'
  expect(hostsEntries(text, 'dev.test')).toEqual(['10.0.0.5', 'fd00::1'])
  expect(hostsEntries(text, 'dev2.test')).toEqual(['10.0.0.5'])
  expect(hostsEntries(text, 'gone.test')).toEqual([])
})
