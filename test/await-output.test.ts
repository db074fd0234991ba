import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import type { Params, Result } from '@transom/protocol'
import { needs } from './support/needs.ts'
import { FIXTURES, TestHome } from './support/test-home.ts'

let home: TestHome
let client: Client

beforeAll(async () => {
  home = new TestHome()
  await home.ok('create', '--name', 'first', '--', 'cat')
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await home.close()
})

let conversations = 0

/** A conversation that is driven as an agent drives one: by cursor, with waits and sends alone. */
class Conversation {
  readonly id = `conversation ${++conversations}`
  session_id = ''
  block_id = ''
  session = ''
  cursor = 0

  async start(command: string): Promise<void> {
    const begun = await client.call('pty.exec_interactive', {
      conversation_id: this.id,
      command,
      cwd: home.root,
    })
    this.session_id = begun.session_id
    this.block_id = begun.block_id
    this.session = begun.session
    this.cursor = begun.cursor
  }

  async waitFor(
    match: string,
    options: Partial<Params<'pty.wait_for'>> = {},
  ): Promise<Result<'pty.wait_for'>> {
    const { id: conversation_id, cursor: from_cursor } = this
    const result = await client.call('pty.wait_for', { conversation_id, match, from_cursor, ...options })
    if (!result.matched) throw new Error(`${match} did not come: ${JSON.stringify(result)}`)
    this.cursor = result.cursor
    return result
  }

  async send(data: string): Promise<void> {
    const { id: conversation_id, session_id } = this
    await client.call('pty.send', { conversation_id, session_id, data })
  }

  async status(): Promise<Result<'pty.status'>> {
    return client.call('pty.status', { conversation_id: this.id })
  }
}

async function started(command: string): Promise<Conversation> {
  const conversation = new Conversation()
  await conversation.start(command)
  return conversation
}

describe('a conversation with a program, by waits and sends alone', () => {
  test('guesses a number', async () => {
    const game = await started(`bash ${FIXTURES}/guess.sh`)
    await game.waitFor('Guess a number')
    expect((await game.status()).mode).toBe('interactive')
    await game.send('5\r')
    await game.waitFor('Too low.')
    await game.waitFor('Guess a number')
    await game.send('7\r')
    expect(await game.waitFor('Correct! It took \\d\\.', { regex: true })).toMatchObject({
      match_text: 'Correct! It took 2.',
    })
    await game.waitFor('PROMPT')
    expect(await game.status()).toMatchObject({ mode: 'idle', active_session_id: null })
  })

  needs('python3')('computes in python', async () => {
    const python = await started('python3 -q')
    await python.waitFor('>>> ')
    await python.send('6 * 7\r')
    await python.waitFor('\r\n42\r\n')
    await python.waitFor('>>> ')
    await python.send('for i in range(3): print("n", i)\r')
    await python.waitFor('... ')
    await python.send('\r')
    await python.waitFor('n 2')
    await python.waitFor('>>> ')
    expect((await python.status()).needs_input).toMatchObject({ verdict: 'needs_input', reason: 'repl' })
    await python.send('\x04')
    await python.waitFor('EOF', { session_id: python.session_id })
    await python.waitFor('PROMPT')
  })

  needs('ssh-keygen')('answers the questions of ssh-keygen', async () => {
    const keygen = await started('ssh-keygen -t ed25519 -C test')
    await keygen.waitFor('Enter file in which to save the key')
    const file = path.join(home.root, 'id_test')
    await keygen.send(`${file}\r`)
    await keygen.waitFor('passphrase')
    expect((await keygen.status()).needs_input).toMatchObject({ reason: 'password' })
    await keygen.send('secret words\r')
    await keygen.waitFor('same passphrase again')
    await keygen.send('secret words\r')
    await keygen.waitFor('fingerprint')
    await keygen.waitFor('PROMPT')
    expect(fs.existsSync(`${file}.pub`)).toBe(true)
    expect(fs.readFileSync(home.logPath(keygen.session)).includes('secret words')).toBe(false)
  })

  needs('dialog')('chooses from a menu of dialog', async () => {
    const menu = await started(
      `dialog --menu 'Which one?' 12 40 3 a Apple b Banana c Cherry 2>${home.root}/choice; echo "chose $(<${home.root}/choice)"`,
    )
    await menu.waitFor('Cherry')
    await menu.waitFor('Cancel')
    expect((await menu.status()).needs_input).toMatchObject({ reason: 'menu' })
    await menu.send('\x1bOB')
    await menu.send('\x1bOB')
    await menu.send('\r')
    await menu.waitFor('chose c')
    await menu.waitFor('PROMPT')
  })

  needs('gdb')('asks gdb for a sum', async () => {
    const gdb = await started('gdb -q -nx')
    await gdb.waitFor('(gdb) ')
    await gdb.send('print 6 * 7\r')
    await gdb.waitFor('\\$\\d+ = 42', { regex: true })
    await gdb.waitFor('(gdb) ')
    await gdb.send('quit\r')
    await gdb.waitFor('PROMPT')
  })

  needs('sqlite3')('asks sqlite3 for what it has stored', async () => {
    const sqlite = await started('sqlite3')
    await sqlite.waitFor('sqlite> ')
    await sqlite.send("create table fruit(name); insert into fruit values('apple'),('pear');\r")
    await sqlite.waitFor('sqlite> ')
    await sqlite.send('select count(*), max(name) from fruit;\r')
    await sqlite.waitFor('2|pear')
    await sqlite.waitFor('sqlite> ')
    await sqlite.send('.quit\r')
    await sqlite.waitFor('PROMPT')
  })
})

describe('wait_for', () => {
  const call = async (params: Params<'pty.wait_for'>) => client.call('pty.wait_for', params)

  test('for the prompt after a block is not satisfied by the prompt before it', async () => {
    const conversation_id = 'prompts'
    for (let round = 0; round < 20; round++) {
      const { cursor, seq } = await client.call('pty.exec_block', { conversation_id, command: ':' })
      expect(await call({ conversation_id, match: 'PROMPT', from_cursor: cursor })).toMatchObject({
        matched: true,
      })
      expect(seq).toBe(round + 1)
      expect(await client.call('pty.status', { conversation_id })).toMatchObject({ mode: 'idle' })
    }
  })

  for (const shell of ['a conversation’s shell', 'bash with its own prompt', 'zsh']) {
    needs(shell === 'zsh' ? 'zsh' : 'bash')(
      `for the prompt waits for the blocks that are queued, too, in ${shell}`,
      async () => {
        const conversation_id = `queued-${shell.length}`
        const command = shell === 'zsh' ? ['zsh', '-i'] : ['bash', '-i']
        if (!shell.startsWith('a ')) {
          const env = { HOME: home.root, PS1: 'ready> ' }
          await client.call('session.create', { command, name: conversation_id, norc: true, env })
        }
        const pipe = path.join(home.root, `queue-${shell.length}`)
        expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
        const first = { conversation_id, command: `cat ${pipe}` }
        const { cursor } = await client.call('pty.exec_block', first)
        await client.call('pty.exec_block', { conversation_id, command: 'echo second', queue: true })
        const waiting = call({ conversation_id, match: 'PROMPT', from_cursor: cursor })
        fs.writeFileSync(pipe, 'first\n')
        const result = await waiting
        expect(result.matched).toBe(true)
        expect(await client.call('pty.status', { conversation_id })).toMatchObject({
          mode: 'idle',
          queued: 0,
        })
        const second = await call({
          conversation_id,
          match: 'second\r\n',
          from_cursor: cursor,
          timeout_ms: 0,
        })
        expect(second.cursor).toBeLessThanOrEqual(result.cursor)
      },
    )
  }

  test('begins with the last block when no cursor is given', async () => {
    const conversation_id = 'default cursor'
    await client.call('pty.exec_block', { conversation_id, command: 'echo same' })
    const first = await call({ conversation_id, match: 'same\r\n' })
    await call({ conversation_id, match: 'PROMPT' })
    await client.call('pty.exec_block', { conversation_id, command: 'echo same' })
    await call({ conversation_id, match: 'PROMPT' })
    const second = await call({ conversation_id, match: 'same\r\n' })
    expect(second.cursor).toBeGreaterThan(first.cursor)
  })

  test('is found again by another client, with the same cursor', async () => {
    const conversation_id = 'again'
    const { cursor } = await client.call('pty.exec_block', {
      conversation_id,
      command: 'seq 1000; echo done',
    })
    const params = { conversation_id, match: 'done\r\n', from_cursor: cursor }
    const first = await call(params)
    const other = await home.connect()
    const { elapsed_ms: _, ...second } = await other.call('pty.wait_for', params)
    other.close()
    expect(first).toMatchObject(second)
  })

  test('that times out says what it saw, where to go on, and that the program asks for something', async () => {
    const conversation_id = 'timeout'
    await client.call('pty.exec_interactive', { conversation_id, command: 'read -p "Your name: " name' })
    await call({ conversation_id, match: 'name: ' })
    const failed = await call({ conversation_id, match: 'never', timeout_ms: 200 })
    expect(failed).toMatchObject({
      ok: true,
      matched: false,
      reason: 'timeout',
      tail: expect.stringContaining('Your name: ') as string,
      needs_input: { verdict: 'needs_input', reason: 'read' },
    })
    await client.call('pty.send', { conversation_id, data: 'Ada\r' })
    expect(await call({ conversation_id, match: 'PROMPT', from_cursor: failed.cursor })).toMatchObject({
      matched: true,
    })
  })

  test('in an interactive session is over when the session is', async () => {
    const conversation_id = 'ends'
    const { session_id } = await client.call('pty.exec_interactive', {
      conversation_id,
      command: 'echo last words',
    })
    const failed = await call({ conversation_id, session_id, match: 'never' })
    expect(failed).toMatchObject({ matched: false, reason: 'ended', exit: null })
    expect(failed.tail).toContain('last words')
    const end = await call({ conversation_id, session_id, match: 'EOF' })
    await client.call('pty.exec_block', { conversation_id, command: 'echo never' })
    await call({ conversation_id, match: 'PROMPT' })
    const { cursor } = await client.call('pty.status', { conversation_id })
    expect(await call({ conversation_id, session_id, match: 'never' })).toMatchObject({ reason: 'ended' })
    expect(await call({ conversation_id, session_id, match: 'EOF', from_cursor: cursor })).toMatchObject({
      cursor,
    })
    expect(await call({ conversation_id, session_id, match: 'EOF' })).toMatchObject({ cursor: end.cursor })
  })

  test('looks into the log of a shell that has ended', async () => {
    const conversation_id = 'over'
    const { cursor } = await client.call('pty.exec_block', {
      conversation_id,
      command: 'echo before the end',
    })
    await call({ conversation_id, match: 'PROMPT', from_cursor: cursor })
    await client.call('pty.exec_block', { conversation_id, command: 'exit 3' })
    expect(await call({ conversation_id, match: 'EOF', from_cursor: cursor })).toMatchObject({
      matched: true,
      exit: { code: 3 },
    })
    expect(await call({ conversation_id, match: 'the end', from_cursor: 0 })).toMatchObject({
      matched: true,
      match_text: 'the end',
      exit: { code: 3 },
    })
    expect(await call({ conversation_id, match: 'never', from_cursor: 0 })).toMatchObject({ reason: 'ended' })
  })

  test('takes PROMPT and EOF as text when told to', async () => {
    const conversation_id = 'literal'
    const { cursor } = await client.call('pty.exec_block', {
      conversation_id,
      command: 'printf "PRO%s EO%s" MPT F',
    })
    for (const match of ['PROMPT', 'EOF']) {
      const result = await call({ conversation_id, match, literal: true, from_cursor: cursor })
      expect(result).toMatchObject({ matched: true, match_text: match })
    }
  })

  test('says what is wrong with a request', async () => {
    const conversation_id = 'wrong'
    await expect(call({ conversation_id, match: 'x' })).rejects.toMatchObject({
      code: 'conversation_not_found',
    })
    await client.call('pty.exec_block', { conversation_id, command: ':' })
    await expect(call({ conversation_id, match: '(?=x)', regex: true })).rejects.toMatchObject({
      code: 'bad_pattern',
    })
    await expect(call({ conversation_id, match: 'x', from_cursor: 1e9 })).rejects.toMatchObject({
      code: 'usage',
    })
    await expect(call({ conversation_id, match: 'x', session_id: 'int-none' })).rejects.toMatchObject({
      code: 'block_not_found',
    })
  })

  test('with a pattern made to be slow does not hold up another session', async () => {
    const conversation_id = 'slow'
    await client.call('pty.exec_block', { conversation_id, command: 'head -c 200000 /dev/zero | tr "\\0" a' })
    await call({ conversation_id, match: 'PROMPT' })
    const match = '(?:a?){300}a{300}[bc]|(a|aa)+$x'
    const slow = expect(call({ conversation_id, match, regex: true, from_cursor: 0 })).rejects.toMatchObject({
      code: 'bad_pattern',
    })
    const { session } = await client.call('session.create', { command: ['cat'] })
    await client.call('session.type', { session, text: 'still here', enter: true })
    await client.call('session.wait', { session, text: 'still here' })
    await slow
    const linear = { conversation_id, match: '(x+x+)+y', regex: true, from_cursor: 0, timeout_ms: 0 }
    expect(await call(linear)).toMatchObject({ matched: false })
  })
})
