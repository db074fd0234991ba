// @ts-check
// Third parties' tests of the MCP server, through the gateway's own door: the protocol's conformance suite in both
// versions, and the MCP Inspector as a client. They need a newer Node than the product, which npm has, too.
// Fails when a scenario fails that is not in the list below, each with its reason.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = [
  'node@24.21.0',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
]
const CLI = fileURLToPath(new URL('../packages/transom/dist/cli.cjs', import.meta.url))
const FIXTURE = 'asks for a tool, resource or prompt of the suite’s own example server'
const NOT_OFFERED = 'asks for what Transom does not offer: '

/** Why a scenario cannot pass. @type {Record<string, string>} */
const EXPECTED = {
  'logging-set-level': `${NOT_OFFERED}log messages (deprecated since 2026-07-28)`,
  'completion-complete': `${NOT_OFFERED}completions`,
  'resources-subscribe': `${NOT_OFFERED}resource subscriptions over HTTP in 2025-11-25, which needs a session for them`,
  'resources-unsubscribe': `${NOT_OFFERED}resource subscriptions over HTTP in 2025-11-25`,
  'prompts-list': `${NOT_OFFERED}prompts`,
  caching: `${NOT_OFFERED}prompts (its seven other checks pass)`,
  'server-stateless': `${FIXTURE} in 4 of its 28 checks (the others pass)`,
  ...Object.fromEntries(
    [
      ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'with-logging', 'error'].map(
        (name) => `tools-call-${name}`,
      ),
      ...['with-progress', 'sampling', 'elicitation'].map((name) => `tools-call-${name}`),
      'json-schema-2020-12',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'resources-read-text',
      'resources-read-binary',
      'resources-templates-read',
      ...['simple', 'with-args', 'embedded-resource', 'with-image'].map((name) => `prompts-get-${name}`),
    ].map((name) => [name, FIXTURE]),
  ),
}
/** Beside the suite's active scenarios: what else a server of any kind can be asked. */
const MORE = ['server-stateless', 'caching', 'http-header-validation', 'sep-2164-resource-not-found']

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-conformance-'))
const env = {
  ...process.env,
  TRANSOM_HOME: path.join(root, 'home'),
  XDG_STATE_HOME: path.join(root, 'state'),
}
const tools = path.join(root, 'node_modules')
const newerNode = { ...env, PATH: `${tools}/node/bin:${process.env['PATH']}` }

try {
  await run('npm', ['install', '--silent', '--no-save', '--prefix', root, ...PACKAGES], env)
  process.exitCode = await check()
} finally {
  await run(process.execPath, [CLI, 'host', 'stop', '--force'], env)
  fs.rmSync(root, { recursive: true, force: true })
}

async function check() {
  const gateway = spawn(process.execPath, [CLI, 'serve', '--json', '--listen', '127.0.0.1:0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(gateway.stdout, 'data')
  /** @type {{ url: string, token: string }} */
  const { url, token } = JSON.parse(String(line))
  const proxy = http.createServer((request, response) => forward(url, token, request, response))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = /** @type {import('node:net').AddressInfo} */ (proxy.address())
  const endpoint = `http://localhost:${address.port}/mcp`
  try {
    const old = await conformance(endpoint, ['--spec-version', '2025-11-25'])
    const current = await conformance(endpoint, ['--spec-version', '2026-07-28'])
    const more = []
    for (const scenario of MORE) {
      const args = ['--scenario', scenario, '--spec-version', '2026-07-28']
      more.push(...(await conformance(endpoint, args, scenario)))
    }
    const surprises = [...report('2025-11-25', old), ...report('2026-07-28', [...current, ...more])]
    const inspected = await inspect(url, token)
    for (const surprise of surprises) console.log(`UNEXPECTED: ${surprise}`)
    return surprises.length === 0 && inspected ? 0 : 1
  } finally {
    proxy.close()
    proxy.closeAllConnections()
    gateway.kill()
    await once(gateway, 'exit')
  }
}

/** The suite has no way to send a token. Its own address becomes the gateway's; a foreign name goes on as it is. */
function forward(
  /** @type {string} */ url,
  /** @type {string} */ token,
  /** @type {http.IncomingMessage} */ request,
  /** @type {http.ServerResponse} */ response,
) {
  const { port } = new URL(url)
  const own = (/** @type {string | undefined} */ name) =>
    name?.replace(/^((?:https?:\/\/)?(?:localhost|127\.0\.0\.1)):\d+$/, `$1:${port}`)
  const { host, origin, ...rest } = request.headers
  const headers = {
    ...rest,
    host: own(host) ?? '',
    ...(origin === undefined ? {} : { origin: own(origin) ?? '' }),
    authorization: `Bearer ${token}`,
  }
  const options = { port, host: '127.0.0.1', path: request.url, method: request.method, headers }
  const onward = http.request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

/**
 * @typedef {{ scenario: string, passed: number, failed: number }} Outcome
 * @returns {Promise<Outcome[]>}
 */
async function conformance(
  /** @type {string} */ endpoint,
  /** @type {string[]} */ args,
  /** @type {string | null} */ scenario = null,
) {
  const command = [path.join(tools, '.bin/conformance'), 'server', '--url', endpoint, ...args]
  const { stdout } = await run('node', command, newerNode)
  if (scenario !== null) {
    const [, passed = '0', , failed = '1'] = /^Passed: (\d+)\/(\d+), (\d+) failed/m.exec(stdout) ?? []
    return [{ scenario, passed: Number(passed), failed: Number(failed) }]
  }
  return [...stdout.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)].map((match) => ({
    scenario: match[1] ?? '',
    passed: Number(match[2]),
    failed: Number(match[3]),
  }))
}

/** Prints the score; returns what was not expected. */
function report(/** @type {string} */ version, /** @type {Outcome[]} */ outcomes) {
  const whole = outcomes.filter(({ failed }) => failed === 0)
  const checks = outcomes.reduce((sum, { passed }) => sum + passed, 0)
  const reasoned = outcomes.filter(({ scenario, failed }) => failed > 0 && scenario in EXPECTED)
  console.log(
    `conformance ${version}: ${whole.length} of ${outcomes.length} scenarios whole, ${checks} checks passed, ${reasoned.length} scenarios in the reasoned list`,
  )
  console.log(`  whole: ${whole.map(({ scenario }) => scenario).join(', ')}`)
  if (outcomes.length === 0) return [`${version}: the suite said nothing`]
  return outcomes
    .filter(({ scenario, failed }) => failed > 0 && !(scenario in EXPECTED))
    .map(({ scenario, failed }) => `${version}: ${scenario} failed ${failed} checks`)
}

/** The Inspector's CLI, over both transports. */
async function inspect(/** @type {string} */ url, /** @type {string} */ token) {
  const inspector = path.join(tools, '.bin/mcp-inspector')
  const http = [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`]
  const stdio = [process.execPath, CLI, 'mcp']
  const create = ['--method', 'tools/call', '--tool-name', 'create_session']
  const answers = [
    await run('node', [inspector, '--cli', ...stdio, '--method', 'tools/list'], newerNode),
    await run('node', [inspector, '--cli', ...http, '--method', 'tools/list'], newerNode),
    await run('node', [inspector, '--cli', ...http, ...create, '--tool-arg', 'command=["cat"]'], newerNode),
  ]
  const expected = ['"read_screen"', '"read_screen"', '"status": "running"']
  const works = answers.every(({ stdout }, index) => stdout.includes(expected[index] ?? ''))
  console.log(`inspector: tools/list over stdio and HTTP, tools/call over HTTP: ${works ? 'ok' : 'FAILED'}`)
  if (!works)
    console.log(answers.map(({ stdout, stderr }) => stdout.slice(0, 400) + stderr.slice(0, 400)).join('\n'))
  return works
}

/** @returns {Promise<{ stdout: string, stderr: string }>} */
async function run(
  /** @type {string} */ command,
  /** @type {string[]} */ args,
  /** @type {NodeJS.ProcessEnv} */ environment,
) {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  await once(child, 'close')
  return { stdout, stderr }
}
