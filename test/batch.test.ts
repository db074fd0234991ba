/** Batches of real programs: scripts that pass again and again, and tell what is wrong when they do not. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { needs } from './support/needs.ts'
import { FIXTURES, TestHome } from './support/test-home.ts'

const BATCHES = fileURLToPath(new URL('batches', import.meta.url))
const RUNS = 10

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => home.close())

const startVim = async () => {
  const folder = fs.mkdtempSync(path.join(home.root, 'vim-'))
  const id = await home.ok('create', '--cwd', folder, '--', 'vim', '-u', 'NONE', '-N', 'note.txt')
  return { id, file: path.join(folder, 'note.txt') }
}

function script(text: string): string {
  const file = path.join(fs.mkdtempSync(path.join(home.root, 'script-')), 'flow.batch')
  fs.writeFileSync(file, text)
  return file
}

describe('a batch', () => {
  needs('vim')(`edits a file with vim, ${RUNS} times in a row`, { timeout: 180_000 }, async () => {
    for (let run = 0; run < RUNS; run++) {
      const { id, file } = await startVim()
      const printed = await home.ok('batch', id, path.join(BATCHES, 'vim-edit.batch'))
      expect(printed).toMatch(/^ok +1 {2}wait --text 'note\.txt' {2}\(\d+ ms\)$/m)
      expect(fs.readFileSync(file, 'utf8')).toBe('first line\n2nd\n')
    }
  })

  needs('dialog')(`goes through a dialog, ${RUNS} times in a row`, { timeout: 180_000 }, async () => {
    for (let run = 0; run < RUNS; run++) {
      const id = await home.ok('create', '--env', 'TERM=xterm-256color', '--', `${FIXTURES}/order.sh`)
      const printed = await home.ok('batch', id, path.join(BATCHES, 'dialog-flow.batch'))
      expect(printed.split('\n')).toHaveLength(12)
    }
  })

  needs('vim')('that is broken tells the step, what was waited for and the screen', async () => {
    const { id } = await startVim()
    const broken = fs
      .readFileSync(path.join(BATCHES, 'vim-edit.batch'), 'utf8')
      .replace("wait --text '-- INSERT --'", "wait --text '-- REPLACE --' --timeout 300")
    const file = script(broken)
    const { code, stderr, stdout } = await home.run(['batch', id, file])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${file}:4: wait --text '-- REPLACE --' --timeout 300`)
    expect(stderr).toContain(
      'step 3 of 16 (wait) failed: text "-- REPLACE --" did not come true within 300 ms',
    )
    expect(stderr).toMatch(/--- screen at seq \d+ ---[^]*-- INSERT --/)
  })

  test('keeps going when asked to, and fails all the same', async () => {
    const id = await home.ok('create', '--', 'sh', '-c', 'echo ready; cat')
    const file = script('wait --text ready\nassert --text nothing\nmark "here"\nassert --exit-code 0\n')
    const { code, stdout } = await home.run(['batch', id, file, '--keep-going', '--json'])
    const { error } = JSON.parse(stdout) as { error: { code: string; details: Record<string, unknown> } }
    expect([code, error.code]).toEqual([1, 'batch_failed'])
    const steps = error.details['steps'] as Result<'session.batch'>['steps']
    expect(steps.map(({ ok }) => ok)).toEqual([true, false, true, false])
    expect(steps[1]?.error).toEqual({ code: 'assert_failed', message: 'text "nothing" is not on the screen' })
    expect(steps[3]?.error?.message).toContain('has not ended')
    const after = await home.json<Result<'session.snapshot'>>('snapshot', id, '--at-mark', 'here')
    expect(after.lines[0]?.text).toBe('ready')
  })

  test('anchors a wait to the input before it, and a silent input does not make it hang', async () => {
    const id = await home.ok(
      'create',
      '--',
      'sh',
      '-c',
      'stty -echo; echo waiting; read -r a; read -r b; cat',
    )
    await home.ok('wait', id, '--text', 'waiting')
    const file = script('type one --enter\nwait --text waiting --timeout 5000\nassert --cursor 1,0\n')
    await home.ok('batch', id, file)
    const echoing = await home.ok('create', '--', 'cat')
    const echoed = script('type marker\nwait --text marker --timeout 300\n')
    const { code, stderr } = await home.run(['batch', echoing, echoed])
    expect([code, stderr]).toEqual([1, expect.stringContaining('text "marker" did not come true')])
  })

  test('runs commands in a shell with integration, and fails with one that does', async () => {
    const id = await home.ok('create', '--', 'bash', '--norc')
    const passing = script(
      'run -- echo "a  b"\nrun "cd / && pwd"\nwait --text /\nscreenshot --out shot.png\n',
    )
    const printed = await home.ok('batch', id, passing)
    expect(printed).toMatch(/^ok +1 {2}run -- echo "a {2}b" .*\n {8}\| a {2}b\nok +2 .*\n {8}\| \/\nok/)
    expect(fs.readFileSync(path.join(home.root, 'shot.png')).subarray(1, 4).toString()).toBe('PNG')
    const { code, stderr } = await home.run([
      'batch',
      id,
      script('run true\nrun "exit_with() { return 3; }; exit_with"\nrun true\n'),
    ])
    expect([code, stderr]).toEqual([1, expect.stringContaining('step 2 of 3 (run) failed')])
    expect(stderr).toContain('ended with exit code 3')
  })

  test('reads JSON and JSON lines, too', async () => {
    const id = await home.ok('create', '--', 'sh')
    const steps = [
      { step: 'type', text: 'echo "sum: $((6 * 7))"', enter: true },
      { step: 'wait', text: 'sum: 42', snapshot: true },
      { step: 'snapshot' },
    ]
    const forms = [
      JSON.stringify(steps, null, 2),
      JSON.stringify({ steps }),
      steps.map((step) => JSON.stringify(step)).join('\n'),
    ]
    for (const form of forms) {
      const result = await home.json<Result<'session.batch'>>('batch', id, script(form))
      expect(result.steps.map(({ ok }) => ok)).toEqual([true, true, true])
      expect(result.steps[1]?.result).toMatchObject({ match: { text: 'sum: 42' }, snapshot: { session: id } })
    }
  })

  test('with a mistake anywhere runs no step, and names line and column', async () => {
    const id = await home.ok('create', '--', 'cat')
    const mistakes: [text: string, place: string, problem: string][] = [
      ['mark a\nwait --txt x\n', ':2:6:', 'unknown option --txt'],
      ['mark a\n  jump 3\n', ':2:3:', 'unknown step "jump"'],
      ['mark a\ntype "abc\n', ':2:6:', 'this " has no other'],
      ['mark a\nresize --cols many\n', ':2:8:', 'needs a whole number'],
      ['mark a\nwait --timeout 5 --json\n', ':2:18:', '--json is for the whole command line'],
      ['[{"step": "mark", "label": "a"},\n {"step": "mark" "label"}]', ':2:18:', 'this is not JSON'],
      ['{"step": "mark", "label": "a"}\n{"text": "x"}', ':2:1:', 'with its name as "step"'],
      ['mark a\nresize --cols 5000\n', ':2: resize', '--cols must be at most 1000'],
      ['mark a\nwait\n', ':2: wait', 'nothing to wait for'],
      ['mark a\nwait --regex (\n', ':2: wait', 'cannot use the pattern'],
      ['mark a\nresize --cols 5000\nwait --timeout 2d --exit\n', ':3: wait', '--timeout must be at most'],
    ]
    for (const [text, place, problem] of mistakes) {
      const file = script(text)
      const { code, stderr } = await home.run(['batch', id, file])
      expect([text, code, stderr]).toEqual([text, 64, expect.stringContaining(file + place)])
      expect(stderr).toContain(problem)
      const { error } = await home.json<{ error: { code: string } }>('snapshot', id, '--at-mark', 'a')
      expect(error.code).toBe('moment_not_found')
    }
  })

  test('of a session that has ended is refused, and no file is no batch', async () => {
    const id = await home.ok('create', '--', 'true')
    await home.ok('wait', id, '--exit')
    expect((await home.run(['batch', id, script('mark a')])).code).toBe(69)
    expect((await home.run(['batch', id, '/nowhere/flow.batch'])).code).toBe(66)
    const empty = await home.run(['batch', id, script('# nothing\n')])
    expect([empty.code, empty.stderr]).toEqual([64, expect.stringContaining('has no steps')])
  })
})

test('the script that the guide shows is the one that is run here', () => {
  const guide = fs.readFileSync(fileURLToPath(new URL('../docs/batch.md', import.meta.url)), 'utf8')
  expect(guide).toContain(fs.readFileSync(path.join(BATCHES, 'vim-edit.batch'), 'utf8'))
})

test('assert checks what is there now, all of it at once', async () => {
  const id = await home.ok('create', '--', 'sh', '-c', 'printf "\\033]2;my title\\007one two"; exec cat')
  await home.ok('wait', id, '--text', 'one two')
  const { screen_hash } = await home.json<Result<'session.snapshot'>>('snapshot', id)
  await home.ok('assert', id, '--text', 'one', '--no-text', 'three', '--regex', 'o.e', '--no-regex', 'x+')
  await home.ok('assert', id, '--cursor', '0,7', '--title', 'my title', '--hash', screen_hash)
  const { code, stderr } = await home.run(['assert', id, '--text', 'three', '--cursor', '1,1'])
  expect(code).toBe(1)
  expect(stderr).toContain('text "three" is not on the screen; the cursor is 0,7, not 1,1')
  expect((await home.run(['assert', id])).code).toBe(64)
  await home.ok('destroy', id)
  const killed = await home.run(['assert', id, '--exit-code', '0', '--text', 'one two'])
  expect([killed.code, killed.stderr]).toEqual([1, expect.stringMatching(/exit code is SIG(TERM|HUP|KILL)/)])
})
