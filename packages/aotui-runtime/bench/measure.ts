import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { GlobalWindow } from 'happy-dom'
import { DocumentWatch } from '../src/app-process/document-watch.ts'
import type { DomWindow, LiveElement } from '../src/app-process/dom-engine.ts'
import { createDesktop, destroyDesktop, type Desktop, type Lease } from '../src/index.ts'
import type { Figure } from './figure.ts'
import { tokens } from './tokens.ts'

export interface BenchInput {
  runtimeDir: string
  /** The list app as an ES module that exports `start(count)`. */
  listApp: string
  /** The program of bench/render-alone.ts, built. */
  renderAlone: string
  readonly startList: (count: number) => void
  /** The same for the app whose tokens are counted. */
  readonly todoApp: string
  readonly startTodos: (count: number) => void
}

const ROUNDS = 45 // the first third warms up and is not counted

/** Items, the most milliseconds that a command may take, and rounds: short ones need more for a steady figure. */
const COMMANDS = [
  { count: 10, max: 2, rounds: 240 },
  { count: 1000, max: 12, rounds: 90 },
  { count: 10_000, max: 150, rounds: ROUNDS },
] as const

export async function measure(input: BenchInput): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { count, max, rounds } of COMMANDS) {
    const { alone, trip, all, windowed } = await commands(input, count, rounds)
    figures.push(
      { name: `event + Preact render alone, ${count} items`, value: alone, unit: 'ms' },
      { name: `empty round trip to such a process, ${count} items`, value: trip, unit: 'ms' },
      { name: `ratio that the round trip alone makes, ${count} items`, value: 1 + trip / alone, unit: '×' },
      { name: `command → ack + snapshot, ${count} items, all shown`, value: all, unit: 'ms', max },
      { name: `command → ack + snapshot, ${count} items, 50 shown`, value: windowed, unit: 'ms', max },
      {
        name: `ratio to the render alone, ${count} items, all shown`,
        value: all / alone,
        unit: '×',
        max: 1.5,
      },
      {
        name: `ratio to the render alone, ${count} items, 50 shown`,
        value: windowed / alone,
        unit: '×',
        max: 1.5,
      },
    )
  }
  const { full, incremental } = transforms(input)
  figures.push({ name: 'full transform of 1,000 items', value: full, unit: 'ms' })
  figures.push({ name: 'one changed item of 1,000', value: incremental, unit: 'ms' })
  figures.push({ name: 'full / incremental', value: full / incremental, unit: '×', min: 8 })
  figures.push(...(await bootAndMemory(input)))
  figures.push(...(await countTokens(input)))
  return figures
}

/** All in turn, round by round: whatever else the machine does meets all of them alike. */
async function commands(
  input: BenchInput,
  count: number,
  rounds: number,
): Promise<Record<'alone' | 'trip' | 'all' | 'windowed', number>> {
  const dir = makeApp(`${input.listApp}\nstart(${count})`)
  const shown = await openDesktop(input, dir, Number.POSITIVE_INFINITY)
  const windowed = await openDesktop(input, dir, 50)
  const alone = fork(input.renderAlone, [String(count)], { execArgv: ['--max-semi-space-size=8'] })
  const times = { alone: [] as number[], trip: [] as number[], all: [] as number[], windowed: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const args = { index: round % Math.min(count, 50), text: `changed ${round}` }
    times.trip.push(await emptyRoundTrip(alone, args))
    times.alone.push(await renderAlone(alone, args))
    times.all.push(await commandToSnapshot(shown, args))
    times.windowed.push(await commandToSnapshot(windowed, args))
  }
  alone.kill()
  for (const { desktop } of [shown, windowed]) await destroyDesktop(desktop.id)
  rmSync(dir, { recursive: true })
  return {
    alone: typical(times.alone),
    trip: typical(times.trip),
    all: typical(times.all),
    windowed: typical(times.windowed),
  }
}

interface Touch {
  index: number
  text: string
}

async function renderAlone(child: ChildProcess, args: Touch): Promise<number> {
  const answer = once(child, 'message') as Promise<[number]>
  child.send({ render: true, args })
  const [took] = await answer
  return took
}

/** What a command costs before anything is done: a message of its size to the process and one back. */
async function emptyRoundTrip(child: ChildProcess, args: Touch): Promise<number> {
  const answer = once(child, 'message')
  const begun = performance.now()
  child.send({ render: false, args })
  await answer
  return performance.now() - begun
}

async function commandToSnapshot(
  { desktop, lease }: { desktop: Desktop; lease: Lease },
  args: Touch & Record<string, unknown>,
): Promise<number> {
  const begun = performance.now()
  await lease.execute({ app: 'app_1', operation: 'touch', args })
  const { markup } = desktop.snapshot()
  const took = performance.now() - begun
  if (!markup.includes(args.text)) throw new Error('the snapshot at the ack is not fresh')
  return took
}

function transforms({ startList }: BenchInput): { full: number; incremental: number } {
  const { watch, root, window } = openList(startList, 1000)
  const texts = window.document.querySelectorAll('li span')
  const times = { full: [] as number[], incremental: [] as number[] }
  watch.flush()
  watch.transform.render(root)
  for (let round = 0; round < ROUNDS; round++) {
    const span = texts[round]
    if (span !== undefined) span.textContent = `changed ${round}`
    const begun = performance.now()
    watch.flush()
    watch.transform.render(root)
    const between = performance.now()
    watch.transform.renderFully(root)
    times.incremental.push(between - begun)
    times.full.push(performance.now() - between)
  }
  return { full: typical(times.full), incremental: typical(times.incremental) }
}

async function bootAndMemory(input: BenchInput): Promise<Figure[]> {
  const dir = makeApp(`${input.listApp}\nstart(10)`)
  const boots: number[] = []
  let memory = { pss: 0, rss: 0 }
  for (let round = 0; round < 7; round++) {
    const begun = performance.now()
    const { desktop } = await openDesktop(input, dir, 50)
    boots.push(performance.now() - begun)
    memory = childMemory()
    await destroyDesktop(desktop.id)
  }
  const many = makeApp(
    `for (let i = 0; i < 41; i++) aotui.defineView({ name: 'View ' + i, render(root) { root.innerHTML = '<h1>View</h1><p>text</p>' } })`,
  )
  const one = makeApp(
    `aotui.defineView({ name: 'View', render(root) { root.innerHTML = '<h1>View</h1><p>text</p>' } })`,
  )
  const rss: number[] = []
  for (const app of [one, many]) {
    const { desktop } = await openDesktop(input, app, 50)
    rss.push(childMemory().pss)
    await destroyDesktop(desktop.id)
  }
  for (const app of [dir, one, many]) rmSync(app, { recursive: true })
  return [
    { name: 'app boot, open → ready', value: typical(boots), unit: 'ms', max: 250 },
    { name: 'memory of an app (proportional set)', value: memory.pss, unit: 'MB', max: 45 },
    { name: 'memory of an app (resident set, shared pages included)', value: memory.rss, unit: 'MB' },
    {
      name: 'memory of an extra view',
      value: Math.max(0, ((rss[1] ?? 0) - (rss[0] ?? 0)) / 40),
      unit: 'MB',
      max: 1,
    },
  ]
}

async function countTokens(input: BenchInput): Promise<Figure[]> {
  const dir = makeApp(`${input.todoApp}\nstartTodos(200)`)
  const opened: Desktop[] = []
  const open = async (listWindow: number) => {
    const one = await openDesktop(input, dir, listWindow)
    opened.push(one.desktop)
    return one
  }
  const figures = await tokens({ startTodos: input.startTodos, open })
  for (const { id } of opened) await destroyDesktop(id)
  rmSync(dir, { recursive: true })
  return figures
}

function openList(startList: BenchInput['startList'], count: number) {
  const window = new GlobalWindow({ url: 'http://localhost/' })
  const options = { windowSize: Number.MAX_SAFE_INTEGER, onChange: () => undefined }
  const watch = new DocumentWatch(window as unknown as DomWindow, options)
  Object.assign(globalThis, { document: window.document, window })
  startList(count)
  const root = window.document.querySelector('main') as unknown as LiveElement & {
    dispatchEvent(event: unknown): boolean
  }
  return { window, watch, root }
}

async function openDesktop(
  { runtimeDir }: BenchInput,
  dir: string,
  listWindow: number,
): Promise<{ desktop: Desktop; lease: Lease }> {
  const desktop = createDesktop({ apps: [dir], runtimeDir, listWindow })
  const lease = desktop.input.acquire('bench')
  await lease.execute({ app: 'system', operation: 'open', args: { application: 'app_1' } })
  return { desktop, lease }
}

function makeApp(main: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'aotui-bench-'))
  const manifest = { id: 'com.example.bench', name: 'Bench', entry: 'main.mjs' }
  for (const [name, text] of [
    ['main.mjs', main],
    ['aoapp.json', JSON.stringify(manifest)],
  ] as const) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

/** Linux only; elsewhere the figures are 0. */
function childMemory(): { pss: number; rss: number } {
  if (process.platform !== 'linux') return { pss: 0, rss: 0 }
  const [pid] = execFileSync('ps', ['--ppid', String(process.pid), '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('app-process.mjs'))
    .map((line) => line.trim().split(' ')[0])
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) / 1024
  return { pss: megabytes('Pss'), rss: megabytes('Rss') }
}

/** The lower quartile: whatever else the machine does only ever makes a round longer. */
function typical(values: readonly number[]): number {
  const warm = values.length > 20 ? values.slice(values.length / 3) : values
  return warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 4)] ?? 0
}
