import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLog } from './support/log-contents.ts'
import { needs } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'

describe('Transom works', () => {
  test('without HOME, TMPDIR, XDG_RUNTIME_DIR, LANG and TERM, and the program gets a locale', async () => {
    const home = new TestHome()
    try {
      for (const name of ['HOME', 'TMPDIR', 'XDG_RUNTIME_DIR', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM'])
        home.env[name] = undefined
      const id = await home.ok('create', '--', 'sh', '-c', 'echo "$LANG $TERM"; sleep 100')
      expect(await home.ok('wait', id, '--regex', '\\S+ \\S+')).toBe('C.UTF-8 xterm-256color')
    } finally {
      await home.close()
    }
  })

  test('from a folder that has been removed, and says what then needs another one', async () => {
    const home = new TestHome()
    try {
      const id = await home.ok('create', '--', 'sh', '-c', 'echo here; sleep 100')
      await home.ok('wait', id, '--text', 'here')
      // A process cannot be started in a folder that is not there: a shell removes its own.
      const lines = [
        'd=$(mktemp -d)',
        'cd "$d"',
        'rmdir "$d"',
        'node="$1"; cli="$2"; shift 2',
        '"$node" "$cli" "$@"',
      ]
      const gone = (...args: string[]) =>
        spawnSync('sh', ['-c', lines.join('; '), 'sh', process.execPath, CLI, ...args], {
          env: { ...home.env, TMPDIR: home.root },
          encoding: 'utf8',
        })
      expect(gone('snapshot', id)).toMatchObject({ status: 0, stdout: 'here\n', stderr: '' })
      expect(gone('batch', id, '--json', '/dev/null').stderr).not.toContain('at ')
      expect(gone('--version').status).toBe(0)
      const { status, stderr } = gone('create', '--', 'true')
      expect({ status, stderr }).toEqual({
        status: 66,
        stderr: expect.stringMatching(/no longer exists.*--cwd/) as string,
      })
      expect(gone('create', '--cwd', '/', '--', 'true').status).toBe(0)
      expect(gone('--home', 'here', 'list')).toMatchObject({ status: 66, stderr: stderr })
      expect(gone('mcp')).toMatchObject({ status: 0, stderr: '' })
    } finally {
      await home.close()
    }
  })

  test('in a folder whose name is not UTF-8, unless a session is to start there', async () => {
    await using home = new TestHome()
    const id = await home.ok('create', '--', 'sh', '-c', 'echo here; sleep 100')
    await home.ok('wait', id, '--text', 'here')
    const lines = 'd=$(mktemp -d); cd "$d"; mkdir "$(printf "n\\377m")"; cd n*; node="$1"; cli="$2"; shift 2'
    const there = (...args: string[]) =>
      spawnSync('sh', ['-c', `${lines}; "$node" "$cli" "$@"`, 'sh', process.execPath, CLI, ...args], {
        env: { ...home.env, TMPDIR: home.root },
        encoding: 'utf8',
      })
    expect(there('snapshot', id)).toMatchObject({ status: 0, stdout: 'here\n' })
    expect(there('create', '--', 'true')).toMatchObject({
      status: 66,
      stderr: expect.stringMatching(/not UTF-8.*--cwd/) as string,
    })
  })

  test('in a Home and in folders with long and odd names', async () => {
    const home = new TestHome({ homeName: path.join('h'.repeat(150), `${'o'.repeat(140)} \u001b[31m'"$(x)`) })
    try {
      const cwd = path.join(home.root, 'new\nline', 'w'.repeat(200))
      fs.mkdirSync(cwd, { recursive: true })
      const id = await home.ok('create', '--cwd', cwd, '--', 'pwd')
      await home.ok('wait', id, '--exit')
      const inspected = await home.run(['inspect', id])
      expect(inspected.stdout).toContain('new\\x0aline')
      expect(inspected.stdout).not.toContain('\u001b')
      expect(await home.json('inspect', id)).toMatchObject({ cwd })
    } finally {
      await home.close()
    }
  })

  test('with arguments that look like anything', async () => {
    const home = new TestHome()
    try {
      const odd = ['--json', '-', '$(id)', '\u001b]52;c;x\u0007', 'new\nline', '', '漢字', '../..']
      const id = await home.ok('create', '--', 'printf', '<%s>', ...odd)
      await home.ok('wait', id, '--exit')
      expect(await home.json('inspect', id)).toMatchObject({ command: ['printf', '<%s>', ...odd] })
      expect((await home.run(['list', '--all'])).stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    } finally {
      await home.close()
    }
  })
})

needs('faketime')(
  'a clock that is set back by a day disturbs neither sessions, logs, waits nor gc',
  async () => {
    const home = new TestHome()
    try {
      const clock = new SteeredClock(path.join(home.root, 'clock'))
      Object.assign(home.env, clock.env)
      const before = await home.ok('create', '--', 'sh')
      await home.ok('type', before, 'echo one $((1 + 1))', '--enter')
      await home.ok('wait', before, '--text', 'one 2')
      clock.set('-1d')
      const year = await home.json<{ seq: number }>('type', before, 'date +%s', '--enter')
      const seen = await home.ok('wait', before, '--after-seq', String(year.seq), '--regex', '^\\d{10}$')
      expect(Number(/^\d{10}$/m.exec(seen)?.[0])).toBeLessThan(Date.now() / 1000 - 80_000) // the clock is really back
      await home.ok('wait', before, '--screen-stable-ms', '50')
      await home.ok('type', before, 'exit', '--enter')
      await home.ok('wait', before, '--exit')
      expect(await backwardSteps(home.logPath(before))).toEqual([])

      await home.ok('host', 'stop', '--force')
      const after = await home.ok('create', '--', 'sh') // a host that knows the new time only
      expect((await home.json<{ sessions: unknown[] }>('gc', '--older-than', '1h')).sessions).toEqual([])
      const listed = await home.json<{ sessions: { session: string; status: string }[] }>('list', '--all')
      const statuses = new Map(listed.sessions.map(({ session, status }) => [session, status]))
      expect(statuses).toEqual(
        new Map([
          [before, 'exited'],
          [after, 'running'],
        ]),
      )
      expect(await home.ok('snapshot', before)).toContain('one 2')
    } finally {
      await home.close()
    }
  },
)

test('time in a log only goes forward', async () => {
  const home = new TestHome()
  try {
    const id = await home.ok('create', '--', 'sh', '-c', 'seq 1 50; sleep 100')
    await home.ok('wait', id, '--text', '50')
    expect(await backwardSteps(home.logPath(id))).toEqual([])
  } finally {
    await home.close()
  }
})

/** The seqs of records that are older than the one before them. */
async function backwardSteps(log: string): Promise<number[]> {
  const records = await readLog(log)
  return records.filter(({ time }, index) => time < (records[index - 1]?.time ?? 0)).map(({ seq }) => seq)
}

/** The time of day for the processes that get its environment; libfaketime reads the file at every look. */
class SteeredClock {
  readonly env: Record<string, string>
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.set('+0')
    this.env = {
      LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1', // what the kernel's steady clock counts is not what `date -s` sets
    }
  }

  /** As an offset from the true time. */
  set(offset: string): void {
    fs.writeFileSync(this.#file, `${offset}\n`)
  }
}
