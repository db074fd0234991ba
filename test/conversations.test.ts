/** A conversation's shell: modes, the queue, interactive sessions, their end, reset, and what outlives them. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SubscriptionMessage } from '@transom/protocol'
import { BASH_LEAN_LINE, bashShortLine } from '../packages/transom/src/blocks/shells/bash-integration.ts'
import { needs } from './support/needs.ts'
import { useShells } from './support/shells.ts'
import { until } from './support/until.ts'

const shells = useShells()
const { home } = shells
const newConversation = () => shells.newConversation()

async function exec(conversation_id: string, command: string, queue = false) {
  return shells.client.call('pty.exec_block', { conversation_id, command, queue })
}

async function prints(conversation_id: string, match: string, from_cursor: number): Promise<number> {
  return (await shells.client.call('pty.wait_for', { conversation_id, match, from_cursor })).cursor
}

async function outputs(
  conversation_id: string,
): Promise<[string | null, string | undefined, number | null][]> {
  const { blocks } = await shells.client.call('pty.blocks', { conversation_id })
  return Promise.all(
    blocks.map(async ({ seq, command, exit_code }) => {
      const { data } = await shells.client.call('pty.read', { conversation_id, block: seq })
      return [command, data, exit_code] as [string | null, string | undefined, number | null]
    }),
  )
}

test('the screen shows commands and what they print, and nothing of how they are run', async () => {
  const conversation_id = newConversation()
  const commands = Array.from({ length: 80 }, (_, length) => `: ${'x'.repeat(length + 1)}`) // rows full and not
  const longCommand = `: ${'y'.repeat(1000)}` // too long to be typed as it stands
  for (const command of [...commands, longCommand, "echo 'it is' \\\nprinted"]) {
    const { cursor } = await exec(conversation_id, command)
    await prints(conversation_id, 'PROMPT', cursor)
  }
  const { shell_id: session, log_seq } = await shells.client.call('pty.status', { conversation_id })
  const shown = [...commands, `${longCommand.slice(0, 300)}…`, "echo 'it is' \\"].map((it) => `$ ${it}`)
  const whole = [...shown, '> printed', 'it is printed'].join('')
  const snapshot = async (at = {}) => {
    const { lines, scrollback = [] } = await shells.client.call('session.snapshot', {
      session,
      scrollback: true,
      ...at,
    })
    return [...scrollback, ...lines].map(({ text }) => text).join('')
  }
  expect(await snapshot()).toBe(whole)
  await shells.client.call('session.destroy', { session })
  expect(await snapshot({ at_seq: log_seq })).toBe(whole)
  const cast = path.join(home.root, 'shown.cast')
  await home.ok('export', session, '--out', cast)
  expect(fs.readFileSync(cast, 'utf8')).toContain(String.raw`$ echo 'it is' \\\u001bE> printed`)
})

describe('modes', () => {
  test('a busy shell refuses a block, or queues it when told to', async () => {
    const conversation_id = newConversation()
    const first = await exec(conversation_id, 'echo one; read -r x; echo "$x"')
    expect(first).toMatchObject({ ok: true, seq: 1, queued: false, block_id: `${first.session}-1` })
    const cursor = await prints(conversation_id, 'one\r\n', first.cursor)
    expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({
      mode: 'block_running',
      active_block_id: first.block_id,
      active_session_id: null,
      shell_id: first.session,
    })
    await expect(exec(conversation_id, 'echo two')).rejects.toMatchObject({
      code: 'shell_busy',
      details: { block_id: first.block_id },
    })
    expect(await exec(conversation_id, 'echo three', true)).toMatchObject({ seq: 2, queued: true })
    expect(await exec(conversation_id, 'echo four', true)).toMatchObject({ seq: 3, queued: true })
    expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({ queued: 2 })
    await shells.client.call('pty.send', { conversation_id, data: 'typed' })
    await shells.client.call('pty.enter', { conversation_id })
    await prints(conversation_id, 'four\r\n', cursor)
    await prints(conversation_id, 'PROMPT', cursor)
    expect(await outputs(conversation_id)).toEqual([
      ['echo one; read -r x; echo "$x"', 'one\ntyped\ntyped\n', 0],
      ['echo three', 'three\n', 0],
      ['echo four', 'four\n', 0],
    ])
    expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({
      mode: 'idle',
      queued: 0,
    })
  })

  test('an interrupt overtakes what is queued and what was not read', async () => {
    const conversation_id = newConversation()
    // One program: between `echo ready` and `sleep 1000` a shell would lose the interrupt by itself.
    const { cursor } = await exec(conversation_id, `sh -c 'echo ready; exec sleep 1000'`)
    await prints(conversation_id, 'ready\r\n', cursor)
    await exec(conversation_id, 'echo queued', true)
    await shells.client.call('pty.send', { conversation_id, data: 'echo not read\r' })
    await shells.client.call('pty.ctrl_c', { conversation_id })
    await prints(conversation_id, 'queued\r\n', cursor)
    const [first, second] = (await shells.client.call('pty.blocks', { conversation_id })).blocks
    expect([first?.exit_code, second?.command]).toEqual([130, 'echo queued'])
  })

  test('Ctrl+D ends the input of what reads lines, and bytes are sent as they are', async () => {
    const conversation_id = newConversation()
    const { cursor } = await exec(conversation_id, 'echo go; cat | od -An -tx1')
    const at = await prints(conversation_id, 'go\r\n', cursor)
    await shells.client.call('pty.send', {
      conversation_id,
      data_b64: Buffer.from([0xff, 0x41, 0x0d]).toString('base64'),
    })
    await shells.client.call('pty.ctrl_d', { conversation_id })
    await prints(conversation_id, 'ff 41 0a', at)
    const bad = shells.client.call('pty.send', { conversation_id })
    await expect(bad).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('an interactive session', () => {
  test('has the shell until its program ends', async () => {
    const conversation_id = newConversation()
    const command = 'printf "guess: "; read -r n; echo "it was $n"'
    const session = await shells.client.call('pty.exec_interactive', { conversation_id, command })
    const { session_id } = session
    expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({
      mode: 'interactive',
      active_session_id: session_id,
    })
    await expect(exec(conversation_id, 'ls')).rejects.toMatchObject({ code: 'shell_interactive' })
    await expect(exec(conversation_id, 'ls', true)).rejects.toMatchObject({ code: 'shell_interactive' })
    const at = await prints(conversation_id, 'guess: ', session.cursor)
    await shells.client.call('pty.send', { conversation_id, session_id, data: '7\r' })
    await prints(conversation_id, 'it was 7\r\n', at)
    await prints(conversation_id, 'PROMPT', at)
    expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({ mode: 'idle' })
    const late = shells.client.call('pty.send', { conversation_id, session_id, data: 'x' })
    await expect(late).rejects.toMatchObject({ code: 'interactive_ended' })
    const again = shells.client.call('pty.end_session', { conversation_id })
    await expect(again).rejects.toMatchObject({ code: 'interactive_ended' })
  })

  const programs: [string, string, string, string][] = [
    ['python3', 'python3 -q', '>>> ', 'exit_command'],
    ['sh', "PS1='nested: ' sh -i", 'nested: ', 'exit_command'],
    ['cat', `exec sh -c 'echo ready; exec cat'`, 'ready\r\n', 'interrupt'],
    ['sh', `trap '' INT; echo ready; sleep 1000`, 'ready\r\n', 'terminate'],
  ]
  for (const [program, command, match, ended_with] of programs) {
    needs(program)(`${program} is ended as it expects: ${command}`, async () => {
      const conversation_id = newConversation()
      const wrapped = command.startsWith('trap') ? `(${command})` : command
      const { session_id, cursor } = await shells.client.call('pty.exec_interactive', {
        conversation_id,
        command: wrapped,
      })
      await prints(conversation_id, match, cursor)
      const ended = await shells.client.call('pty.end_session', { conversation_id, session_id })
      if (wrapped.includes('exec')) {
        expect(ended.block.ended_by).toBe('exit') // it had taken the shell's place
      } else {
        expect(ended).toMatchObject({ ended_with, block: { state: 'ended', kind: 'interactive' } })
        expect(await shells.client.call('pty.status', { conversation_id })).toMatchObject({ mode: 'idle' })
      }
    })
  }
})

describe('what outlives', () => {
  test('a client, a shell and a host', async () => {
    const conversation_id = newConversation()
    const { session } = await exec(conversation_id, 'echo from the first client')
    await prints(conversation_id, 'client\r\n', 0)
    await prints(conversation_id, 'PROMPT', 1)
    const other = await home.connect()
    const same = await other.call('pty.exec_block', { conversation_id, command: 'exit 3', queue: true })
    expect([same.session, same.seq]).toEqual([session, 2])
    await other.call('session.wait', { session, exit: true })
    other.close()
    await expect(shells.client.call('pty.status', { conversation_id })).rejects.toMatchObject({
      code: 'session_ended',
    })
    const next = await exec(conversation_id, 'echo a new shell')
    expect(next.session).not.toBe(session)
    expect(next.seq).toBe(3)
    await prints(conversation_id, 'a new shell\r\n', next.cursor)
    await prints(conversation_id, 'PROMPT', 1)
    expect(await outputs(conversation_id)).toEqual([
      ['echo from the first client', 'from the first client\n', 0],
      ['exit 3', expect.any(String), 3],
      ['echo a new shell', 'a new shell\n', 0],
    ])
  })

  test('a reset after the end of the shell starts where the last one did', async () => {
    const conversation_id = newConversation()
    const start_cwd = fs.mkdtempSync(path.join(home.root, 'started-'))
    const command = 'cd /; exit'
    await shells.client.call('pty.exec_block', { conversation_id, command, start_cwd })
    await shells.client.call('pty.wait_for', { conversation_id, match: 'EOF' })
    const { session } = await shells.client.call('pty.reset', { conversation_id })
    expect(await shells.client.call('session.inspect', { session })).toMatchObject({ cwd: start_cwd })
  })

  test('a reset, which ends whatever runs and keeps the history', async () => {
    const conversation_id = newConversation()
    const wedged = await exec(conversation_id, `trap '' INT TERM HUP; echo stuck; while :; do sleep 1; done`)
    await prints(conversation_id, 'stuck\r\n', wedged.cursor)
    const reset = await shells.client.call('pty.reset', { conversation_id })
    expect(reset.previous_session).toBe(wedged.session)
    const next = await exec(conversation_id, 'echo fresh')
    expect([next.session, next.seq]).toEqual([reset.session, 2])
    await prints(conversation_id, 'fresh\r\n', next.cursor)
    await prints(conversation_id, 'PROMPT', 1)
    const { blocks } = await shells.client.call('pty.blocks', { conversation_id })
    expect(blocks.map(({ state, ended_by }) => [state, ended_by])).toEqual([
      ['ended', 'exit'],
      ['ended', 'shell'],
    ])
  })

  test('blocks can be searched by command and output, also when the shell is gone', async () => {
    const conversation_id = newConversation()
    await exec(conversation_id, 'echo apple', true)
    await exec(conversation_id, 'echo banana', true)
    const last = await exec(conversation_id, 'echo ap""ple pie; exit', true)
    await shells.client.call('session.wait', { session: last.session, exit: true })
    const find = async (query: string) =>
      (await shells.client.call('pty.blocks', { conversation_id, query })).blocks
    expect((await find('apple')).map(({ seq, match }) => [seq, match?.in])).toEqual([
      [1, 'command'],
      [3, 'output'],
    ])
    expect(await find('cherry')).toEqual([])
  })
})

test('a line by which a block was begun does not begin it again', async () => {
  const conversation_id = newConversation()
  const { seq, cursor } = await exec(conversation_id, 'echo once')
  const begun = await prints(conversation_id, 'PROMPT', cursor)
  const line = bashShortLine(`L${seq}\necho once`) ?? ''
  await shells.client.call('pty.send', { conversation_id, data: line })
  await prints(conversation_id, 'PROMPT', begun)
  const next = await exec(conversation_id, 'echo next')
  await prints(conversation_id, 'PROMPT', next.cursor)
  expect(await outputs(conversation_id)).toEqual([
    ['echo once', 'once\n', 0],
    ['echo next', 'next\n', 0],
  ])
  const { data } = await shells.client.call('pty.read', { conversation_id, from_cursor: begun })
  expect(data).not.toContain('\nonce\n')
})

test('a text from a file is not mixed up with what the block before printed last, and begins once', async () => {
  const conversation_id = newConversation()
  const long = `: ${'y'.repeat(1000)}; echo long`
  let at = 0
  for (const command of ['echo L', long, 'echo Low', long]) {
    at = await prints(conversation_id, 'PROMPT', (await exec(conversation_id, command)).cursor)
  }
  await shells.client.call('pty.send', { conversation_id, data: BASH_LEAN_LINE })
  await prints(conversation_id, 'PROMPT', at)
  expect((await outputs(conversation_id)).map(([, output]) => output)).toEqual([
    'L\n',
    'long\n',
    'Low\n',
    'long\n',
  ])
  const { data } = await shells.client.call('pty.read', { conversation_id, from_cursor: at })
  expect(data).not.toContain('\nlong\n')
})

test('a subscriber to blocks gets each begin, its bytes and its end', async () => {
  const conversation_id = newConversation()
  const { session } = await exec(conversation_id, 'echo up')
  await prints(conversation_id, 'up\r\n', 0)
  await prints(conversation_id, 'PROMPT', 1)
  const messages: SubscriptionMessage[] = []
  let wake = () => {}
  await shells.client.subscribe({ session, to: 'blocks' }, (message) => {
    messages.push(message)
    wake()
  })
  await exec(conversation_id, 'echo one; (exit 4)')
  while (!messages.some(({ type }) => type === 'agent_block_end'))
    await new Promise<void>((resolve) => (wake = resolve))
  const deltas = messages.flatMap((message) =>
    message.type === 'agent_block_delta' ? [Buffer.from(message.data_b64, 'base64').toString()] : [],
  )
  expect(deltas.join('')).toBe('one\r\n')
  expect(messages[0]?.type).toBe('position')
  expect(messages.find(({ type }) => type === 'agent_block_begin')).toMatchObject({
    block: { command: 'echo one; (exit 4)', state: 'running' },
  })
  expect(messages.at(-1)).toMatchObject({
    type: 'agent_block_end',
    block: { exit_code: 4, output_bytes: 5, state: 'ended' },
  })
})

describe('errors', () => {
  test('each says what is wrong and what to do', async () => {
    const { session } = await shells.client.call('session.create', { command: ['cat'] })
    const run = (params: object) => shells.client.call('session.run', { command: ['ls'], session, ...params })
    await expect(run({})).rejects.toMatchObject({
      code: 'shell_not_integrated',
      message: /type, keys and wait/,
    })
    await expect(exec(session, 'ls')).rejects.toMatchObject({ code: 'shell_not_integrated' })
    const foreign = shells.client.call('pty.reset', { conversation_id: session })
    await expect(foreign).rejects.toMatchObject({ code: 'usage' })
    const nowhere = shells.client.call('pty.status', { conversation_id: 'never opened' })
    await expect(nowhere).rejects.toMatchObject({ code: 'conversation_not_found' })
    const conversation_id = newConversation()
    const cwd = { conversation_id, command: 'ls', cwd: '/no/such/folder' }
    await expect(shells.client.call('pty.exec_block', cwd)).rejects.toMatchObject({ code: 'cwd_not_found' })
    const { session: shell } = await exec(conversation_id, 'echo up')
    await prints(conversation_id, 'up\r\n', 0)
    const missing = shells.client.call('pty.read', { conversation_id, block: 99 })
    await expect(missing).rejects.toMatchObject({ code: 'block_not_found', details: { count: 1 } })
    await expect(
      run({ session: shell, command: ['sleep 1000'], timeout_ms: 10, queue: true }),
    ).rejects.toMatchObject({ code: 'block_running', details: { block: { state: 'running' } } })
    const waiting = run({ session: shell, command: ['echo never'], queue: true })
    const failed = expect(waiting).rejects.toMatchObject({ code: 'block_not_started' })
    const queued = async () => (await shells.client.call('pty.status', { conversation_id })).queued === 1
    await until('the command waits', queued)
    await shells.client.call('session.destroy', { session: shell })
    await failed
  })

  test('a shell that was not to be integrated, or runs a script, has no blocks', async () => {
    for (const params of [
      { command: ['bash'], no_integration: true },
      { command: ['bash', '-c', 'read x'] },
      { command: ['bash', '--norc', '-s'] },
    ]) {
      const { session } = await shells.client.call('session.create', params)
      const refused = shells.client.call('session.run', { session, command: ['ls'] })
      await expect(refused).rejects.toMatchObject({ code: 'shell_not_integrated' })
    }
  })
})

needs('bash')('a caller that gives up leaves the command running, and its end is known', async () => {
  const { session } = await shells.client.call('session.create', { command: ['bash'], norc: true })
  const controller = new AbortController()
  const vanishing = shells.client.call(
    'session.run',
    { session, command: ['read -r x; echo "late $x"'], queue: true, no_early: true },
    { signal: controller.signal },
  )
  await shells.client.call('session.wait', { session, text: 'read -r x' })
  controller.abort()
  await expect(vanishing).rejects.toBeDefined()
  await shells.client.call('session.type', { session, text: 'word\r' })
  await shells.client.call('session.wait', { session, block_end: 1 })
  const { blocks } = await shells.client.call('pty.blocks', { conversation_id: session })
  expect(blocks).toMatchObject([
    { state: 'ended', exit_code: 0, output_bytes: 'word\r\nlate word\r\n'.length },
  ])
})
