/** One writer at a time: a person steps in while an agent works, through every surface that writes. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatewayProcess } from './support/gateway-process.ts'
import { StdioClient } from './support/mcp-client.ts'
import { needs } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const HELD = 69

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => home.close())

interface Failure {
  error: { code: string; message: string; retryable: boolean; details: Record<string, unknown> }
}

async function createShell(): Promise<string> {
  const id = await home.ok('create', '--cwd', home.root, '--', 'bash', '--norc')
  await home.ok('run', id, '--', ':')
  return id
}

async function take(session: string, ...options: string[]): Promise<string> {
  return home.ok('lease', 'take', session, '--as', 'person', ...options)
}

async function epochOf(session: string): Promise<number> {
  return (await home.json<{ epoch: number }>('lease', 'status', session)).epoch
}

describe('while a person holds a session', () => {
  test('every write of others is refused at once, says who holds it, and changes nothing', async () => {
    const id = await createShell()
    const before = await home.ok('snapshot', id)
    const lease = await take(id, '--note', 'looking into it')
    const writes = [
      ['type', id, 'x'],
      ['keys', id, 'x'],
      ['paste', id, 'x'],
      ['run', id, '--', 'touch refused'],
      ['exec', id, '--', 'touch refused'],
      ['signal', id, 'INT'],
      ['resize', id, '--cols', '90'],
      ['shell-init', id, 'bash', '--type'],
      ['destroy', id],
    ]
    for (const write of writes) {
      const { code, stderr } = await home.run(write)
      expect({ write, code }).toEqual({ write, code: HELD })
      expect(stderr).toMatch(/is held by .* \(person\) since .*looking into it/s)
      expect(stderr).toContain('transom wait')
    }
    const { error } = await home.json<Failure>('type', id, 'x')
    expect(error).toMatchObject({ code: 'held', retryable: true, details: { holder: { role: 'person' } } })
    expect(await home.ok('snapshot', id)).toBe(before)
    expect(fs.existsSync(path.join(home.root, 'refused'))).toBe(false)
    await home.ok('type', id, 'echo by-the-holder', '--enter', '--lease', lease)
    await home.ok('wait', id, '--regex', '(?m)^by-the-holder')
    await home.ok('lease', 'give', id, '--lease', lease)
    await home.ok('run', id, '--', 'true')
  })

  test('over HTTP and MCP, too', async () => {
    const id = await createShell()
    const lease = await take(id)
    const mcp = await StdioClient.start(home)
    const gateway = await GatewayProcess.start(home)
    try {
      for (const [tool, args] of [
        ['type_text', { session: id, text: 'x' }],
        ['press_keys', { session: id, keys: ['x'] }],
        ['run_command', { session: id, command: ['true'] }],
        ['interact', { session: id, steps: [{ step: 'type', text: 'x' }] }],
      ] as const) {
        const answer = await mcp.tool(tool, args)
        expect({ tool, isError: answer.isError }).toEqual({ tool, isError: true })
        expect(JSON.stringify(answer)).toContain('held')
      }
      expect(JSON.stringify(await mcp.tool('read_screen', { session: id }))).not.toContain('held by')
      const reply = await gateway.call('session.type', { session: id, text: 'x' })
      expect(reply).toMatchObject({ status: 409, body: { error: { code: 'held' } } })
      expect(await gateway.call('session.type', { session: id, text: 'x', lease })).toMatchObject({
        status: 200,
      })
    } finally {
      await mcp.close()
      await gateway.close()
    }
  })

  test('a lease is not taken away by a second take, but by a takeover', async () => {
    const id = await createShell()
    const first = await take(id)
    expect((await home.run(['lease', 'take', id])).code).toBe(HELD)
    const second = await take(id, '--takeover')
    expect((await home.run(['type', id, 'x', '--lease', first])).code).toBe(HELD)
    await home.ok('type', id, 'x', '--lease', second)
  })
})

describe('an agent whose session is taken over', () => {
  test('learns it in the middle of a run, and goes on when the session is given back', async () => {
    const id = await createShell()
    const running = home.json<Failure>('run', id, '--', 'echo begun; sleep 60')
    await home.ok('wait', id, '--text', 'begun')
    const lease = await take(id)
    const { error } = await running
    expect(error).toMatchObject({ code: 'lease_changed', details: { block: { state: 'running' } } })
    const waiting = home.run(['wait', id, '--writable'])
    await home.ok('keys', id, 'Ctrl+C', '--lease', lease)
    await home.ok('lease', 'give', id, '--lease', lease)
    expect((await waiting).code).toBe(0)
    expect(await home.ok('run', id, '--', 'echo "I am back"')).toBe('I am back')
  })

  test('learns it in a wait for the outcome of its input; another wait goes on', async () => {
    const id = await createShell()
    await home.ok('type', id, 'sleep 60', '--enter')
    const anchored = home.json<Failure>('wait', id, '--text', 'done it', '--after-input')
    const watching = home.run(['wait', id, '--regex', '(?m)^done it'])
    await until('both wait', async () => {
      return JSON.stringify(await home.json('host', 'status')).includes('"waits":2')
    })
    const lease = await take(id)
    expect((await anchored).error.code).toBe('lease_changed')
    await home.ok('keys', id, 'Ctrl+C', '--lease', lease)
    await home.ok('type', id, 'echo done it', '--enter', '--lease', lease)
    expect((await watching).code).toBe(0)
  })

  test('gets none of its queued commands run, also after the session was given back', async () => {
    const id = await createShell()
    await home.run(['run', id, '--no-wait', '--', 'sleep 60'])
    const queued = home.json<Failure>('run', id, '--queue', '--', 'touch from-the-queue')
    await until('it is queued', async () => (await home.ok('blocks', id)).includes('sleep 60'))
    const lease = await take(id)
    expect((await queued).error.code).toMatch(/^(lease_changed|held)$/)
    await home.ok('lease', 'give', id, '--lease', lease)
    const again = await take(id)
    await home.ok('keys', id, 'Ctrl+C', '--lease', again)
    await home.ok('run', id, '--lease', again, '--', 'true')
    expect(fs.existsSync(path.join(home.root, 'from-the-queue'))).toBe(false)
  })

  test('gets the rest of its batch refused, although the session is free again', async () => {
    const id = await createShell()
    const file = path.join(home.root, 'flow.batch')
    fs.writeFileSync(
      file,
      "type 'cat' --enter\nwait --text 'go on' --timeout 30000\nwait --writable\ntype 'too late' --enter\n",
    )
    const epoch = await epochOf(id)
    const batch = home.json<Failure>('batch', id, file, '--keep-going')
    await home.ok('wait', id, '--regex', '(?m)cat$')
    const lease = await take(id)
    await home.ok('type', id, 'go on', '--enter', '--lease', lease)
    await home.ok('lease', 'give', id, '--lease', lease)
    const { error } = await batch
    expect(error.code).toBe('batch_failed')
    const steps = error.details['steps'] as { ok: boolean; error: { code: string } | null }[]
    expect(steps.map((step) => step.error?.code)).toEqual([
      undefined,
      'lease_changed',
      undefined,
      'lease_changed',
    ])
    expect(await epochOf(id)).toBe(epoch + 2)
    expect(await home.ok('snapshot', id)).not.toContain('too late')
  })

  needs('vim')('goes on in vim where a person left it', async () => {
    const file = path.join(home.root, 'shared.txt')
    const id = await home.ok('create', '--', 'vim', '-u', 'NONE', '-N', file)
    await home.ok('wait', id, '--text', 'shared.txt')
    await home.ok('keys', id, 'i')
    await home.ok('type', id, 'by the agent\n')
    const lease = await take(id, '--note', 'a line of mine')
    expect((await home.run(['type', id, 'lost'])).code).toBe(HELD)
    await home.ok('type', id, 'by the person\n', '--lease', lease)
    await home.ok('lease', 'give', id, '--lease', lease, '--note', 'go on')
    await home.ok('wait', id, '--writable')
    await home.ok('type', id, 'by the agent again')
    await home.ok('keys', id, 'Escape', ':', 'w', 'q', 'Enter')
    await home.ok('wait', id, '--exit')
    expect(fs.readFileSync(file, 'utf8')).toBe('by the agent\nby the person\nby the agent again\n')
  })
})

describe('a lease', () => {
  test('ends by itself when its holder has left, and the log says so', async () => {
    const id = await createShell()
    await take(id, '--keep', '1s')
    await home.ok('wait', id, '--writable', '--timeout', '30s')
    const events = await home.ok('log', 'export', id, '--format', 'jsonl')
    const changes = events
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; fields?: { change: string; actor: string } })
      .filter(({ type }) => type === 'lease')
      .map(({ fields }) => fields)
    expect(changes).toMatchObject([{ change: 'taken' }, { change: 'expired' }])
    expect(changes[0]?.actor).toContain('pid')
  })

  test('is needed for every input, where a session was created so', async () => {
    const id = await home.ok('create', '--lease-policy', 'lease_required', '--', 'cat')
    const { error } = await home.json<Failure>('type', id, 'x')
    expect(error).toMatchObject({ code: 'lease_required' })
    const lease = await home.ok('lease', 'take', id)
    const { code } = await home.run(['type', id, 'now it is typed'], { env: { TRANSOM_LEASE: lease } })
    expect(code).toBe(0)
    await home.ok('wait', id, '--text', 'now it is typed')
  })

  test('shows its holder a request for it', async () => {
    const id = await createShell()
    await take(id)
    await home.ok('lease', 'request', id, '--note', 'the build can go on')
    expect(await home.ok('lease', 'status', id)).toContain('the build can go on')
  })
})
