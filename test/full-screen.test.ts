/** Full-screen programs on a real terminal: what they show, and how they leave it. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VtEmulator } from '../packages/transom/src/terminal/vt/vt-emulator.ts'
import { needs } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(async () => home.close())

/** A program that can be run, from TypeScript that imports the package. */
async function compile(name: string, contents: string): Promise<string> {
  const outfile = path.join(home.root, `${name}.mjs`)
  const stdin = { contents, resolveDir: ROOT, loader: 'ts' } as const
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' })
  return outfile
}

/** Runs a program in a session; the shell then says how it ended, and whether the terminal is as it was. */
async function start(name: string, program: string): Promise<void> {
  const script = `echo before; stty -g > ${name}.stty; '${process.execPath}' "$1"; echo "ended $?"; stty -g | cmp - ${name}.stty && echo same terminal; cat`
  const size = ['--cols', '60', '--rows', '40', '--cwd', home.root]
  await home.ok('create', '--name', name, ...size, '--', 'sh', '-c', script, 'sh', program)
}

const TAKE = `
  import { Canvas } from '@transom/tui'
  import { OwnTerminal } from '@transom/tui/node'
  const terminal = OwnTerminal.take({ env: process.env, mouse: true, paste: true })
  const canvas = new Canvas(terminal.cols, terminal.rows)
  const say = (text) => {
    canvas.begin(terminal.cols, terminal.rows)
    canvas.text(canvas.area, text)
    terminal.show(canvas.grid)
  }
`

test('the example of the README works as written', async () => {
  const readme = fs.readFileSync(path.join(ROOT, 'packages/tui/README.md'), 'utf8')
  const example = /run by test\/full-screen\.test\.ts[^]*?```ts\n([^]*?)```/.exec(readme)?.[1] ?? ''
  await start('readme', await compile('readme', example))
  await home.ok('wait', 'readme', '--text', 'q quit')
  await home.ok('keys', 'readme', 'Down', 'Down')
  const selected = async () => {
    const { lines } = await home.json<{
      lines: { cells: { text: string; inverse?: boolean }[] }[]
    }>('snapshot', 'readme', '--cells')
    return lines.slice(1, 5).flatMap(({ cells }) => cells.filter(({ inverse }) => inverse))
  }
  await until('the third row is selected', async () => (await selected())[0]?.text === 'gamma')
  await home.ok('resize', 'readme', '--cols', '20', '--rows', '5')
  await home.ok('wait', 'readme', '--regex', '^↑↓ choose     q quit$')
  expect((await home.ok('snapshot', 'readme')).split('\n')[0]).toBe('┌─ Letters ────────┐')
  await home.ok('keys', 'readme', 'q')
  await home.ok('wait', 'readme', '--text', 'same terminal')
  expect(await home.ok('snapshot', 'readme')).toBe('before\nended 0\nsame terminal')
})

describe('the terminal is given back', () => {
  test.each([
    ['after process.exit()', `terminal.listen(() => process.exit(3))`, 'ended 3'],
    [
      'after an error that nobody catches',
      `terminal.listen(() => { throw new Error('it broke') })`,
      'it broke',
    ],
    [
      'after a rejection',
      `terminal.listen(() => { void Promise.reject(new Error('it broke')) })`,
      'it broke',
    ],
    ['after SIGTERM', `terminal.listen(() => process.kill(process.pid, 'SIGTERM'))`, 'ended 143'],
    [
      'by a program that handles a signal itself',
      `process.on('SIGTERM', () => setTimeout(() => { say('last words'); process.exit(7) }, 20))
       terminal.listen(() => process.kill(process.pid, 'SIGTERM'))`,
      'ended 7',
    ],
  ])('%s', async (title, code, ending) => {
    const name = title.replaceAll(/\W/g, '')
    await start(name, await compile(name, `${TAKE}; ${code}; say('ready')`))
    await home.ok('wait', name, '--text', 'ready')
    const before = await home.json<{ modes: object }>('snapshot', name)
    expect(before.modes).toMatchObject({ alt_screen: true, bracketed_paste: true, mouse: 'button' })
    await home.ok('keys', name, 'x')
    await home.ok('wait', name, '--text', 'same terminal')
    const { modes, lines, cursor } = await home.json<{
      modes: object
      lines: { text: string }[]
      cursor: { visible: boolean }
    }>('snapshot', name)
    expect(modes).toMatchObject({ alt_screen: false, bracketed_paste: false, mouse: 'none', autowrap: true })
    expect(lines.map(({ text }) => text).join('\n')).toContain(ending)
    expect([lines[0]?.text, cursor.visible]).toEqual(['before', true])
  })

  test('to a program that was stopped and goes on, drawn again', async () => {
    await start(
      'stopped',
      await compile('stopped', `${TAKE}; terminal.listen((event) => say(event.type)); say('ready')`),
    )
    await home.ok('wait', 'stopped', '--text', 'ready')
    const { pid } = await home.json<{ pid: number }>('inspect', 'stopped')
    const [child] = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    process.kill(child ?? 0, 'SIGSTOP')
    process.kill(child ?? 0, 'SIGCONT')
    expect(await home.ok('wait', 'stopped', '--text', 'resize')).toBe('resize')
  })
})

needs('script')(
  'a slow terminal gets the newest frame, without blocking the program or filling its memory',
  async () => {
    const report = path.join(home.root, 'report')
    const program = await compile(
      'slow',
      `${TAKE}
     import * as fs from 'node:fs'
     terminal.listen(() => terminal.restore())
     let count = 0
     const next = () => {
       count++
       canvas.begin(terminal.cols, terminal.rows)
       for (let row = 0; row < terminal.rows; row++)
         canvas.text({ ...canvas.area, row, rows: 1 }, String(count * 7919 + row).repeat(20), { fg: (count + row) % 8 })
       canvas.statusLine({ ...canvas.area, rows: 1 }, 'frame ' + count)
       terminal.show(canvas.grid)
       if (count < 3000) setImmediate(next)
       else fs.writeFileSync(${JSON.stringify(report)}, String(process.memoryUsage().arrayBuffers))
     }
     next()`,
    )
    // Nothing reads from script: it does not read from the terminal then, and the terminal takes no more.
    const child = spawn(
      'script',
      ['-qfec', `stty cols 80 rows 24; '${process.execPath}' '${program}'`, '/dev/null'],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    await until('all frames were shown to a terminal that took none of them', () => fs.existsSync(report))
    expect(Number(fs.readFileSync(report, 'utf8'))).toBeLessThan(4 << 20)
    const emulator = new VtEmulator(80, 24)
    let bytes = 0
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      emulator.write(chunk)
    })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await until('the last frame is there', () => emulator.frame().grid.lineOf(0) === 'frame 3000')
    expect(emulator.frame().grid.lineOf(23)).toBe(
      String(3000 * 7919 + 23)
        .repeat(20)
        .slice(0, 80),
    )
    expect(bytes).toBeLessThan(1 << 20) // all of them would be about 6 MB
    child.stdin.write('q')
    await ended
    expect(emulator.modes()).toMatchObject({ alt_screen: false })
  },
)
