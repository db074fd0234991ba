/** What commands do to a shell must not make it lose a block, or mix up two. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect } from 'vitest'
import type { ShellUnderTest } from './support/shell-under-test.ts'
import { SHELLS, inShells, useShells } from './support/shells.ts'

const shells = useShells()
const BASHES = ['bash', 'bash-lean'] as const
const POSIX = [...BASHES, 'zsh', 'dash'] as const

inShells(...POSIX)('$name', ({ name, test }) => {
  test('set -u, set -x, noglob and noclobber leave blocks exact', async () => {
    const shell = await shells.start(name)
    await shell.run('set -u')
    expect((await shell.run('echo "$undefined_variable"')).code).not.toBe(0)
    expect((await shell.run('echo one')).output).toBe('one\r\n')
    await shell.run('set +u; set -C; set -o noglob')
    expect((await shell.run('echo *')).output).toBe('*\r\n')
    expect((await shell.run('set -x')).output).toBe('')
    const traced = await shell.run('echo two')
    expect(traced.output).toMatch(/^\+[^\r]*echo two\r\ntwo\r\n$/)
    const off = await shell.run('set +x')
    expect(off.output).toMatch(/^\+[^\r]*set \+x\r\n$/)
    expect((await shell.run('echo three')).output).toBe('three\r\n')
  })

  test('set -e ends the shell at a failure, and only then', async () => {
    const shell = await shells.start(name)
    await shell.run('set -e')
    expect((await shell.run('if false; then :; fi; echo alive')).output).toBe('alive\r\n')
    const last = await shell.run('echo before; false; echo not this')
    expect(last).toMatchObject({ code: 1, block: { ended_by: 'exit', state: 'ended' } })
    expect(last.output).toMatch(/^before\r\n/)
    expect(last.output).not.toContain('not this')
  })

  test('reads from the terminal, with and without echo', async () => {
    const shell = await shells.start(name)
    const from = await shell.cursor()
    const reading = shell.run('printf "name? "; read -r name; echo "hello $name"')
    await shell.prints('name? ', from)
    await shells.client.call('pty.send', { conversation_id: shell.session, data: 'Ada\r' })
    expect((await reading).output).toBe('name? Ada\r\nhello Ada\r\n')
    const hidden = name === 'dash' ? 'stty -echo; read -r word; stty echo' : 'read -rs word'
    const start2 = await shell.cursor()
    const silent = shell.run(`printf 'password: '; ${hidden}; echo "[$word]"`)
    await shell.prints('password: ', start2)
    await waitForHiddenInput(shell)
    await shells.client.call('pty.send', { conversation_id: shell.session, data: 'secret\r' })
    expect((await silent).output).toBe('password: [secret]\r\n')
  })

  test('a prompt that is changed or printed to stays out of blocks', async () => {
    const shell = await shells.start(name)
    await shell.run(`PS1='changed> '; PS2='more> '; PROMPT_COMMAND='echo noise'`)
    expect((await shell.run('echo one')).output).toBe('one\r\n')
    await shell.run('unset PROMPT_COMMAND PS1 PS0 PS2')
    expect((await shell.run('echo two')).output).toBe('two\r\n')
    expect((await shell.run('false')).code).toBe(1)
  })

  test('output that is sent away takes no mark with it', async () => {
    const shell = await shells.start(name)
    await shell.run('exec 3>&1 4>&2 >away 2>&1')
    expect(await shell.run('echo lost; (exit 4)')).toMatchObject({ output: '', code: 4 })
    await shell.run('exec >&3 2>&4 3>&- 4>&-')
    expect((await shell.run('cat away')).output).toContain('lost\r\n') // the line editor's output went there, too
  })
})

async function waitForHiddenInput(shell: ShellUnderTest): Promise<void> {
  await shells.client.call('session.wait', { session: shell.session, needs_input: true })
}

inShells(...BASHES)('$name', ({ name, test }) => {
  test('a text that is unbalanced is not run while it is checked', async () => {
    const shell = await shells.start(name)
    for (const ending of ['>made', '| touch made', '& touch made', '; touch made']) {
      const { output } = await shell.run(`echo \`echo first\`\nfi ${ending}`)
      expect(output).toMatch(/^first\r\n.*syntax error/)
      expect(fs.readdirSync(shell.folder)).toEqual([])
    }
    expect(await shell.run('echo next')).toMatchObject({ output: 'next\r\n', code: 0 })
  })
})

inShells(...BASHES, 'zsh')('$name', ({ name, test }) => {
  test('traps fire for the block alone', async () => {
    const shell = await shells.start(name)
    await shell.run("trap 'echo dbg' DEBUG")
    // In zsh it fires for the call that marks the end, too.
    const traced = name === 'zsh' ? 'dbg\r\nhi\r\ndbg\r\n' : 'dbg\r\nhi\r\n'
    expect((await shell.run('echo hi')).output).toBe(traced)
    expect((await shell.run('echo hi')).output).toBe(traced)
    await shell.run("trap - DEBUG; trap 'echo failed' ERR")
    expect((await shell.run('false')).output).toBe('failed\r\n')
    expect((await shell.run('false; true')).output).toBe('failed\r\n')
    expect((await shell.run('echo fine')).output).toBe('fine\r\n')
    expect((await shell.run('true')).output).toBe('')
    await shell.run("trap - ERR; trap 'echo usr' USR1")
    expect((await shell.run('kill -USR1 $$; echo sent')).output).toMatch(/usr\r\n/)
  })

  test('a stopped program gives the shell back, and the next block can go on with it', async () => {
    const shell = await shells.start(name)
    const from = await shell.cursor()
    const running = shell.run(`sh -c 'echo begun; read x; echo "got $x"'`)
    await shell.prints('begun\r\n', from)
    await shells.client.call('pty.send', { conversation_id: shell.session, data: '\x1a' })
    expect((await running).code).toBe(128 + 20)
    const again = await shell.cursor()
    const resumed = shell.run('fg')
    await shell.prints('read x', again)
    await shells.client.call('pty.send', { conversation_id: shell.session, data: 'word\r' })
    const ran = await resumed
    expect([ran.code, ran.output]).toEqual([0, expect.stringContaining('got word\r\n')])
  })

  test('background jobs do not keep a block open', async () => {
    const shell = await shells.start(name)
    const job = await shell.run('sleep 1000 & echo started')
    expect(job.output).toMatch(/^\[\d\] \d+\r\nstarted\r\n$/)
    expect((await shell.run('echo next')).output).toBe('next\r\n')
    expect((await shell.run('jobs')).output).toMatch(/sleep 1000/)
    expect((await shell.run('kill %sleep; wait; true')).code).toBe(0)
    expect((await shell.run('echo last')).output).toBe('last\r\n')
  })
})

inShells(...SHELLS)('$name', ({ name, test }) => {
  const isFish = name === 'fish'
  const endings: [string, number | null][] = [
    ['exit 3', 3],
    ["exec sh -c 'exit 5'", 5],
    [isFish ? 'kill -9 $fish_pid' : 'kill -9 $$', null],
  ]
  test.each(endings)('%s ends the block with the shell', async (command, code) => {
    const shell = await shells.start(name)
    await shell.run('echo before')
    const ran = await shell.run(command)
    expect(ran).toMatchObject({ code, block: { ended_by: 'exit', state: 'ended' } })
    const shown = await shells.client.call('pty.blocks', { conversation_id: shell.session })
    expect(shown.blocks.map((block) => [block.command, block.exit_code]).slice(-2)).toEqual([
      ['echo before', 0],
      [command, code],
    ])
  })

  test('programs cannot forge a mark, and find no nonce to do it with', async () => {
    const shell = await shells.start(name)
    const forged = String.raw`\033]7717;0;3;99;/\007\033]7717;`
    const bytes = '\x1b]7717;0;3;99;/\x07\x1b]7717;'
    expect(await shell.run(`printf '${forged}'`)).toMatchObject({ output: bytes, code: 0 })
    const shown = await shell.run(`env; tr '\\0' '\\n' </proc/self/environ; ls -a`)
    expect(shown.output).not.toMatch(/__transom|7717/)
    // Only the shell itself can tell it, and it is asked not to print it.
    const secret = isFish ? '$__transom_nonce_1$__transom_nonce_2' : '"$__transom_nonce_1$__transom_nonce_2"'
    await shell.run(`printf %s ${secret} >nonce`)
    const nonce = fs.readFileSync(path.join(shell.folder, 'nonce'), 'utf8')
    expect(nonce).toMatch(/^\d{39}$/)
    await shell.run(isFish ? 'set' : 'set; typeset -p 2>/dev/null; typeset -f 2>/dev/null; true')
    expect(fs.readFileSync(shells.home.logPath(shell.session)).includes(nonce)).toBe(false)
    expect(fs.readdirSync(path.join(shells.home.path, 'sessions', shell.session, 'shell'))).not.toContain(
      'rc',
    )
    const left = fs.readdirSync(path.join(shells.home.path, 'sessions', shell.session, 'shell'), {
      recursive: true,
    })
    for (const file of left.map(String)) {
      const text = fs.readFileSync(
        path.join(shells.home.path, 'sessions', shell.session, 'shell', file),
        'latin1',
      )
      expect(text, file).not.toContain(nonce.slice(0, 20))
    }
  })

  test('five megabytes come whole', async () => {
    const shell = await shells.start(name)
    const ran = await shell.run("head -c 5000000 /dev/zero | tr '\\0' x")
    expect(ran.output.length).toBe(5_000_000)
    expect(/^x*$/.test(ran.output)).toBe(true)
  })

  test('a block reads what it is given as its standard input, and the shell keeps what it does', async () => {
    const shell = await shells.start(name)
    const { session } = shell
    const { data, block } = await shells.client.call('session.run', {
      session,
      command: ['cat; cd /usr # a comment'],
      stdin: 'one\n{ "two" }\nlast',
    })
    expect([data, block.command]).toEqual(['one\n{ "two" }\nlast', 'cat; cd /usr # a comment'])
    const folder = path.join(shells.home.path, 'sessions', session, 'shell')
    expect(fs.readdirSync(folder).filter((file) => file.startsWith('stdin'))).toEqual([])
    expect((await shell.run('pwd')).output).toBe('/usr\r\n')
  })

  test('history has nothing of it', async () => {
    if (name === 'bash-lean' || name === 'dash') return // they keep none
    const shell = await shells.start(name)
    await shell.run('echo one')
    await shell.run('echo two')
    const listed = await shell.run(name === 'zsh' ? 'fc -l 1; true' : 'history')
    // zsh keeps the line that runs until the next one does.
    expect(listed.output.replace(/^.*__transom_run\r\n/, '')).not.toMatch(/transom|eval|echo/)
  })

  test('a half-typed line is not run, and stays at the prompt', async () => {
    const shell = await shells.start(name)
    await shell.run(':')
    const from = await shell.cursor()
    await shell.type('touch half')
    await shell.prints('half', from)
    expect(await shell.run('echo whole; ls')).toMatchObject({ output: 'whole\r\n', code: 0 })
    expect((await shell.run('echo again; ls')).output).toBe('again\r\n')
    await shells.client.call('session.wait', { session: shell.session, text: 'half', settle_ms: 0 })
    await shell.type('-typed\r')
    await shell.run('true')
    expect((await shell.run('ls')).output).toBe('half-typed\r\n')
  })
})

inShells(
  'bash',
  'fish',
  'dash',
)('$name', ({ name, test }) => {
  // bash's own line editor divides by zero in two columns and one row.
  test.each(name === 'bash' ? [3, 5, 10, 80] : [2, 3, 5, 10, 80])(
    'blocks begin and end in a terminal of %d columns and one row',
    async (cols) => {
      const shell = await shells.start(name, { cols, rows: 1 })
      expect(await shell.run('echo one')).toMatchObject({ output: 'one\r\n', code: 0 })
      expect((await shell.run('seq 3')).output).toBe('1\r\n2\r\n3\r\n')
    },
  )
})

inShells(
  'bash',
  'zsh',
  'fish',
)('$name', ({ name, test }) => {
  test('what a person types at the prompt is a block, too', async () => {
    const shell = await shells.start(name)
    await shell.run(':')
    const from = await shell.cursor()
    await shell.type('echo ty""ped; sh -c "exit 6"\r')
    await shell.prints('typed\r\n', from)
    const next = await shell.run('echo after')
    const block = (await shell.blocks()).find(({ kind }) => kind === 'typed')
    expect(block).toMatchObject({ command: 'echo ty""ped; sh -c "exit 6"', exit_code: 6, state: 'ended' })
    if (block !== undefined) expect(await shell.read(block)).toContain('typed\r\n')
    if (block !== undefined && name !== 'fish') expect(await shell.read(block)).toBe('typed\r\n')
    expect(next.output).toBe('after\r\n')
  })

  test('an empty line, a typed syntax error and ^C at the prompt are no blocks', async () => {
    const shell = await shells.start(name)
    await shell.run(':')
    for (const typed of ['\r', 'echo )\r', 'half\x03']) {
      await shell.type(typed)
      expect((await shell.run('echo next')).output).toBe('next\r\n')
    }
    expect((await shell.blocks()).every(({ state }) => state === 'ended')).toBe(true)
  })
})
