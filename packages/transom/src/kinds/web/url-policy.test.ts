import { describe, expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { parseAuthority } from './host-pattern.ts'
import { UrlPolicy } from './url-policy.ts'

describe('by default', () => {
  const policy = new UrlPolicy()

  test.each([
    ['https://example.com/', 'https://example.com/'],
    ['http://example.com:8080/a?b#c', 'http://example.com:8080/a?b#c'],
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['about:blank', 'about:blank'],
    ['  https://example.com/  ', 'https://example.com/'],
  ])('%s is opened', (given, written) => {
    expect(policy.checkNavigation(given).href).toBe(written)
  })

  test.each([
    'file:///etc/passwd',
    'chrome://settings',
    'chrome-extension://abc/x.html',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\tjava\nscript:alert(1)',
    'view-source:https://example.com/',
    'view-source:file:///etc/passwd',
    'data:text/html,<script>1</script>',
    'blob:https://example.com/1234',
    'filesystem:https://example.com/temporary/x',
    'ftp://example.com/',
    'ws://example.com/',
    'about:config',
    'about:srcdoc',
    'devtools://devtools/bundled/inspector.html',
    'invalid://url',
  ])('%j is no page, by its scheme', (url) => {
    expect(refusal(policy, url)).toMatchObject({ code: 'invalid_url', details: { rule: 'scheme' } })
  })

  test.each([
    '',
    'example.com',
    '/path',
    'http://',
    'http://exa mple.com/',
    'http://1.2.3.4.5/',
    'https://[::1/',
  ])('%j is no URL', (url) => {
    expect(refusal(policy, url)).toMatchObject({ code: 'invalid_url', details: { rule: 'not_a_url' } })
  })

  test('a URL with a password is refused: it hides the host', () => {
    expect(refusal(policy, 'https://example.com@127.0.0.1/').details['rule']).toBe('credentials')
  })

  test.each([
    ['http://localhost/', 'loopback'],
    ['http://LOCALHOST./', 'loopback'],
    ['http://a.b.localhost:3000/', 'loopback'],
    ['http://127.0.0.1/', 'loopback'],
    ['http://127.0.0.1./', 'loopback'],
    ['http://127.1/', 'loopback'],
    ['http://2130706433/', 'loopback'],
    ['http://0x7f000001/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://0177.0.0.1/', 'loopback'],
    ['http://017700000001/', 'loopback'],
    ['http://１２７.０.０.１/', 'loopback'],
    ['http://①②⑦.⓪.⓪.①/', 'loopback'],
    ['http://127。0。0。1/', 'loopback'],
    ['http://%31%32%37.0.0.1/', 'loopback'],
    ['http://0.0.0.0/', 'unspecified'],
    ['http://0/', 'unspecified'],
    ['http://[::]/', 'unspecified'],
    ['http://[::1]/', 'loopback'],
    ['http://[0:0:0:0:0:0:0:1]/', 'loopback'],
    ['http://[::ffff:127.0.0.1]/', 'loopback'],
    ['http://[::ffff:a9fe:a9fe]/latest/meta-data/', 'metadata'],
    ['http://[::127.0.0.1]/', 'loopback'],
    ['http://[64:ff9b::7f00:1]/', 'loopback'],
    ['http://[2002:7f00:1::]/', 'loopback'],
    ['http://169.254.169.254/latest/meta-data/', 'metadata'],
    ['http://2852039166/', 'metadata'],
    ['http://0xa9fea9fe/', 'metadata'],
    ['http://169.254.10.10/', 'link_local'],
    ['http://10.0.0.1/', 'private'],
    ['http://172.20.0.1/', 'private'],
    ['http://192.168.1.1/', 'private'],
    ['http://100.64.0.1/', 'shared'],
    ['http://[fd12::1]/', 'unique_local'],
    ['http://[fe80::1]/', 'link_local'],
    ['http://224.0.0.1/', 'multicast'],
    ['http://255.255.255.255/', 'reserved'],
  ])('%s is refused as %s', (url, rule) => {
    expect(refusal(policy, url)).toMatchObject({ code: 'url_refused', details: { url, rule } })
  })
})

test('a refusal reports the URL, the reason and what to do', () => {
  const refused = refusal(new UrlPolicy(), 'http://localhost:8080/')
  expect(refused.message).toBe('"http://localhost:8080/" is not opened: localhost is this machine itself')
  expect(refused.details).toMatchObject({ next: [{ set: { allow_hosts: ['localhost:8080'] } }] })
  expect(refusal(new UrlPolicy(), 'file:///etc/passwd').message).toBe(
    '"file:///etc/passwd" is not opened: only http:, https: and about:blank are, and this is "file:"; serve the file over HTTP',
  )
  expect(refusal(new UrlPolicy(), `data:text/html,${'x'.repeat(10_000)}`).message.length).toBeLessThan(600)
})

describe('--allow-host', () => {
  test.each([
    ['localhost', 'http://localhost:8080/', true],
    ['localhost', 'http://localhost./', true],
    ['localhost', 'http://127.0.0.1/', false],
    ['localhost:8080', 'http://localhost:8080/', true],
    ['localhost:8080', 'http://localhost:8081/', false],
    ['localhost:80', 'http://localhost/', true],
    ['localhost:443', 'https://localhost/', true],
    ['127.0.0.1', 'http://127.0.0.1:1234/', true],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]:1234/', true],
    ['0x7f.1', 'http://127.0.0.1:1234/', true],
    ['127.0.0.0/8', 'http://127.9.9.9/', true],
    ['10.0.0.0/8:8080', 'http://10.1.1.1:8080/', true],
    ['10.0.0.0/8:8080', 'http://10.1.1.1/', false],
    ['::1', 'http://[::1]/', true],
    ['[::1]:3000', 'http://[::1]:3000/', true],
    ['[::1]:3000', 'http://[::1]/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['*.localhost', 'http://app.localhost/', true],
    ['*.localhost', 'http://localhost/', false],
    ['169.254.169.254', 'http://169.254.169.254/', true],
  ])('%s lets %s through: %s', (pattern, url, allowed) => {
    const policy = new UrlPolicy({ allowHosts: [pattern] })
    if (allowed) expect(policy.checkNavigation(url).href).toBe(new URL(url).href)
    else expect(refusal(policy, url).code).toBe('url_refused')
  })

  test('of a name lets it be anywhere but where credentials are handed out', () => {
    const policy = new UrlPolicy({ allowHosts: ['dev.example'] })
    const host = { name: 'dev.example', port: 80 }
    expect(policy.refuseAddress(host, '10.0.0.1')).toBeNull()
    expect(policy.refuseAddress(host, '127.0.0.1')).toBeNull()
    expect(policy.refuseAddress(host, '169.254.169.254')).toMatchObject({
      rule: 'metadata',
      next: { set: { allow_hosts: ['169.254.169.254:80'] } },
    })
    expect(policy.refuseAddress({ name: 'other.example', port: 80 }, '10.0.0.1')?.rule).toBe('private')
  })

  test.each([
    '',
    'a b',
    'host:0',
    'host:99999',
    'http://host',
    '10.0.0.0/33',
    'name/8',
    '*',
    'a.*.b',
    'host:port',
  ])('refuses %j, which names no host', (pattern) => {
    expect(() => new UrlPolicy({ allowHosts: [pattern] })).toThrow(/names no host/)
  })
})

test('--only-host limits the hosts of pages, not their other connections', () => {
  const policy = new UrlPolicy({ onlyHosts: ['example.com', '*.example.com'] })
  expect(policy.limitsNavigation).toBe(true)
  expect(policy.checkNavigation('https://www.example.com/').href).toBe('https://www.example.com/')
  expect(policy.checkNavigation('about:blank').href).toBe('about:blank')
  const error = refusal(policy, 'https://example.com.evil.test/')
  expect(error.details['rule']).toBe('only_host')
  expect(error.details).toMatchObject({ next: [{ set: { only_hosts: ['example.com.evil.test'] } }] })
  expect(policy.refuseHost({ name: 'cdn.test', port: 443 })).toBeNull()
  // Being listed does not make a private address public.
  expect(refusal(new UrlPolicy({ onlyHosts: ['127.0.0.1'] }), 'http://127.0.0.1/').details['rule']).toBe(
    'loopback',
  )
})

test.each([
  ['example.com:443', { name: 'example.com', port: 443 }],
  ['example.com:80', { name: 'example.com', port: 80 }],
  ['example.com', { name: 'example.com', port: 443 }],
  ['EXAMPLE.com.:8443', { name: 'example.com', port: 8443 }],
  ['[::ffff:127.0.0.1]:80', { name: '::ffff:7f00:1', port: 80 }],
  ['0x7f.1:80', { name: '127.0.0.1', port: 80 }],
  ['user@host:80', null],
  ['host:99999', null],
  ['host:0', null],
  ['a/b:80', null],
  ['', null],
])('the authority %j is read as one spelling', (authority, host) => {
  expect(parseAuthority(authority, 443)).toEqual(host)
})

function refusal(policy: UrlPolicy, url: string): OpError {
  try {
    policy.checkNavigation(url)
  } catch (error) {
    if (error instanceof OpError) return error
    throw error
  }
  throw new Error(`${url} was not refused`)
}
