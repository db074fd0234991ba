/** Recordings of real sessions, read by the programs that others read them with. */
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { VtEmulator } from '../packages/transom/src/terminal/vt/vt-emulator.ts'
import { Browser } from './support/browser.ts'
import { needs, needsBrowser } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

type Snapshot = Result<'session.snapshot'>
type Exported = Result<'session.export'>

let home: TestHome
let id: string
let folder: string

/** A session with colours, wide characters, marks, changes of size and an exit code. */
beforeAll(async () => {
  home = new TestHome()
  folder = path.join(home.root, 'out')
  fs.mkdirSync(folder)
  id = await home.ok('create', '--name', 'shown', '--cols', '60', '--rows', '12', '--', 'sh')
  const run = async (command: string) => {
    await home.ok('type', id, command, '--enter')
    await home.ok('wait', id, '--regex', 'done\\d$', '--after-input')
  }
  await run(`printf 'first \\033[1;31mred\\033[m ümläut 漢字 </script><b>\\n'; echo do""ne1`)
  await home.ok('mark', id, 'one </script>')
  await home.ok('resize', id, '--cols', '90', '--rows', '16')
  await run('printf "\\033[2J\\033[Hclea""red\\n"; seq 5; echo do""ne2')
  await home.ok('wait', id, '--idle-ms', '300') // long enough to be read, and so to be found
  await home.ok('mark', id, 'two')
  await home.ok('resize', id, '--cols', '40', '--rows', '10')
  await run('printf "\\033[?1049hnarrow\\n"; echo do""ne3')
  await home.ok('mark', id, 'three')
  await home.ok('type', id, 'exit 7', '--enter')
  await home.ok('wait', id, '--exit')
})

afterAll(async () => home.close())

const snapshotAt = async (...moment: string[]) => home.json<Snapshot>('snapshot', id, ...moment)
const textOf = ({ lines }: Snapshot) => lines.map(({ text }) => text).join('\n')
const exportTo = async (name: string, ...flags: string[]) => {
  const file = path.join(folder, name)
  const result = await home.json<Exported>('export', id, '--out', file, ...flags)
  return { file, result, text: () => fs.readFileSync(file, 'utf8') }
}
const eventsOf = (cast: string) =>
  cast
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as [time: number, code: string, data: string])

/** What a terminal of ours shows when it is fed a cast. */
function play(cast: string): string {
  const header = JSON.parse(cast.split('\n')[0] ?? '') as { width: number; height: number }
  const emulator = new VtEmulator(header.width, header.height)
  for (const [, code, data] of eventsOf(cast)) {
    const [cols = 0, rows = 0] = data.split('x').map(Number)
    if (code === 'o') emulator.write(Buffer.from(data))
    else if (code === 'r') emulator.resize(cols, rows)
  }
  const { grid } = emulator.frame()
  return Array.from({ length: grid.rows }, (_, row) => grid.lineOf(row)).join('\n')
}

describe('an asciicast of a session', () => {
  test('shows at its end what the session showed, with its sizes, marks and exit code', async () => {
    const v2 = (await exportTo('all.cast')).text()
    expect(play(v2)).toBe(textOf(await snapshotAt()))
    const events = eventsOf(v2)
    expect(events.filter(([, code]) => code === 'r').map(([, , data]) => data)).toEqual(['90x16', '40x10'])
    expect(events.filter(([, code]) => code === 'm').map(([, , data]) => data)).toEqual([
      'one </script>',
      'two',
      'three',
    ])
    const v3 = (await exportTo('all-v3.cast', '--format', 'asciicast-v3')).text()
    expect(eventsOf(v3).at(-1)?.slice(1)).toEqual(['x', '7'])
    expect(
      eventsOf(v3)
        .filter(([, code]) => code !== 'x')
        .map((event) => event.slice(1)),
    ).toEqual(events.map((event) => event.slice(1)))
  })

  test('of a part begins with the screen as it was and ends where it should', async () => {
    const [from, to] = [await snapshotAt('--at-mark', 'one </script>'), await snapshotAt('--at-mark', 'two')]
    const range = ['--from-seq', String(from.seq), '--to-seq', String(to.seq)]
    const { text, result } = await exportTo('part.cast', ...range)
    expect([result.from_seq, result.last_seq]).toEqual([from.seq, to.seq])
    expect(play(text().split('\n').slice(0, 2).join('\n'))).toBe(textOf(from))
    expect(play(text())).toBe(textOf(to))
  })

  test('plays as it happened, with pauses cut, faster or as fast as can be', async () => {
    const durationOf = async (...flags: string[]) =>
      (await exportTo('t.cast', '--force', ...flags)).result.duration_ms
    const recorded = await durationOf()
    expect(await durationOf('--speed', '4')).toBeCloseTo(recorded / 4, 6)
    expect(await durationOf('--idle-limit', '20ms')).toBeLessThan(recorded)
    expect(await durationOf('--idle-limit', '20ms', '--speed', '0.5')).toBeLessThan(recorded * 2)
    expect(await durationOf('--speed', 'max')).toBeLessThan(recorded)
  })

  test('goes to standard output, or is kept as an artifact', async () => {
    const printed = await home.ok('export', 'shown')
    expect(`${printed}\n`).toBe((await exportTo('same.cast')).text())
    const { artifact } = await home.json<Exported>('export', 'shown', '--save', '--format', 'asciicast-v3')
    expect(artifact).toMatchObject({ kind: 'recording', format: 'cast', from_seq: 1 })
    expect(await home.ok('artifacts', 'verify', 'shown')).toContain('all as they were captured')
  })

  needs('asciinema')('is read by asciinema', async () => {
    const { file } = await exportTo('for-asciinema.cast')
    const reader = await home.ok(
      'create',
      '--cols',
      '90',
      '--rows',
      '30',
      '--',
      'sh',
      '-c',
      `asciinema cat ${file} >read 2>&1; echo "status $?"; cat`,
    )
    await home.ok('wait', reader, '--text', 'status 0')
    const read = fs.readFileSync(path.join(home.root, 'read'), 'utf8')
    const written = eventsOf(fs.readFileSync(file, 'utf8')).filter(([, code]) => code === 'o')
    expect(read).toBe(written.map(([, , data]) => data).join(''))
  })
})

describe('in a browser', () => {
  /** The rows of a player, without trailing blanks. */
  const rowsOf = (root: string) =>
    `[...document.querySelectorAll('${root} .ap-line')].map((line) => line.textContent.trimEnd())`
  const shows = async (browser: Browser, root: string, snapshot: Snapshot) => {
    const wanted = snapshot.lines.map(({ text }) => text)
    await until(`the player shows ${textOf(snapshot)}`, async () => {
      const rows = await browser.evaluate<string[]>(rowsOf(root))
      return rows.slice(0, wanted.length).join('\n') === wanted.join('\n')
    })
  }

  needsBrowser()('the page seeks to a mark and shows the screen that was there', async () => {
    const { file } = await exportTo('page.html')
    const browser = await Browser.open()
    try {
      const url = pathToFileURL(file).href
      await browser.goto(`${url}#mark=two`)
      await shows(browser, '#player', await snapshotAt('--at-mark', 'two'))
      for (const [index, label] of ['one </script>', 'two', 'three'].entries()) {
        await browser.evaluate(`document.querySelectorAll('#chapters button')[${index}].click()`)
        await shows(browser, '#player', await snapshotAt('--at-mark', label))
      }
      const labels = await browser.evaluate(
        `[...document.querySelectorAll('#chapters span')].map((it) => it.textContent)`,
      )
      expect(labels).toEqual(['one </script>', 'two', 'three'])
      expect(await browser.evaluate(`document.querySelectorAll('body b').length`)).toBe(0) // nothing became markup
    } finally {
      await browser.close()
    }
  })

  needsBrowser()('the page lists the blocks of a shell, and which of them failed', async () => {
    const shell = await home.ok('create', '--', 'bash', '--norc')
    await home.ok('run', shell, '--', 'echo hello from a block')
    expect((await home.run(['run', shell, '--', 'false'])).code).toBe(1)
    const file = path.join(folder, 'blocks.html')
    await home.ok('export', shell, '--out', file)
    const browser = await Browser.open()
    try {
      await browser.goto(pathToFileURL(file).href)
      const labels = await browser.evaluate(
        `[...document.querySelectorAll('#chapters span')].map((it) => [it.textContent, it.className])`,
      )
      expect(labels).toEqual([
        ['$ echo hello from a block', ''],
        ['$ false (exit 1)', 'failed'],
      ])
      await browser.evaluate(`document.querySelectorAll('#chapters button')[1].click()`)
      await until('the player is at the second block', async () => {
        const rows = await browser.evaluate<string[]>(rowsOf('#player'))
        return rows.some((row) => row.startsWith('hello from a block'))
      })
    } finally {
      await browser.close()
    }
  })

  needsBrowser()('the page finds what was shown, and goes there', async () => {
    const { file } = await exportTo('search.html')
    const browser = await Browser.open()
    try {
      await browser.goto(pathToFileURL(file).href)
      const hits = await browser.evaluate<string[]>(`(() => {
        const query = document.getElementById('query')
        query.value = 'CLEARED'
        query.dispatchEvent(new Event('input'))
        return [...document.querySelectorAll('#hits span')].map((it) => it.textContent)
      })()`)
      expect(hits).toContain('cleared')
      await browser.evaluate(`document.querySelector('#hits button').click()`)
      await until('the player is there', async () => {
        const rows = await browser.evaluate<string[]>(rowsOf('#player'))
        return rows.includes('cleared')
      })
      expect(await browser.evaluate('recording.search("nowhere to be seen")')).toBe(0)
    } finally {
      await browser.close()
    }
  })

  needsBrowser()('asciinema-player plays versions 2 and 3 to the same end', async () => {
    const page = await exportTo('both.html')
    const browser = await Browser.open()
    try {
      await browser.goto(pathToFileURL(page.file).href)
      for (const version of [2, 3]) {
        const cast = await exportTo(`play-${version}.cast`, '--format', `asciicast-v${version}`)
        await browser.evaluate(`(async () => {
          const root = document.body.appendChild(document.createElement('div'))
          root.id = 'v${version}'
          const player = AsciinemaPlayer.create({ data: ${JSON.stringify(cast.text())} }, root, { preload: true })
          await new Promise((resolve) => player.addEventListener('ready', resolve))
          await player.seek('100%')
        })()`)
        await shows(browser, `#v${version}`, await snapshotAt())
      }
    } finally {
      await browser.close()
    }
  })
})

describe('an animation', () => {
  test('has one size that every screen fits into, and a frame for each change', async () => {
    for (const name of ['a.gif', 'a.apng']) {
      const { file, result } = await exportTo(name, '--speed', 'max', '--fps', '50')
      const bytes = fs.readFileSync(file)
      const size = name.endsWith('gif')
        ? [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
        : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      expect(size).toEqual([result.width, result.height])
      expect(result.frames).toBeGreaterThan(4)
      expect(result.bytes).toBe(bytes.length)
    }
    const narrow = await snapshotAt('--at-mark', 'three')
    const { result } = await exportTo('narrow.gif', '--from-seq', String(narrow.seq))
    const { result: wide } = await exportTo('wide.gif', '--to-seq', String(narrow.seq))
    expect(result.width).toBeLessThan(wide.width ?? 0)
  })

  needs('ffmpeg', 'ffprobe')('is a video by way of ffmpeg, as long as what happened', async () => {
    for (const name of ['a.webm', 'a.mp4']) {
      const { file, result } = await exportTo(name, '--idle-limit', '300ms')
      const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]
      const { stdout } = await promisify(execFile)('ffprobe', args)
      const frames = (result.frames ?? 0) / 20
      expect(Math.abs(Number(stdout) - frames)).toBeLessThan(0.2)
    }
  })

  test('needs no ffmpeg, but a video does, and says so', async () => {
    const bare = new TestHome()
    try {
      const env = { PATH: path.join(bare.root, 'nothing') }
      const created = await bare.run(['create', '--', '/bin/echo', 'hello'], { env })
      const session = created.stdout.trim()
      await bare.run(['wait', session, '--exit'])
      const video = await bare.run(['export', session, '--out', 'x.webm'])
      expect([video.code, video.stderr]).toEqual([69, expect.stringContaining('apt install ffmpeg')])
      expect(fs.readdirSync(bare.root).filter((name) => name.startsWith('x.'))).toEqual([])
      expect((await bare.run(['export', session, '--out', 'x.gif'])).code).toBe(0)
    } finally {
      await bare.close()
    }
  })
})

describe('what cannot be exported', () => {
  test('is refused with a reason, and leaves nothing behind', async () => {
    const { file } = await exportTo('there.cast')
    const refused: [args: string[], code: number, why: string][] = [
      [['--out', file], 65, '--force'],
      [['--out', path.join(folder, 'x.doc')], 64, '.doc'],
      [['--out', path.join(folder, 'x.cast'), '--from-seq', '999999'], 66, 'ends with record'],
      [
        ['--out', path.join(folder, 'x.cast'), '--from-seq', '5', '--to-seq', '4'],
        64,
        '--from-seq 5 is after --to-seq 4',
      ],
      [['--out', path.join(folder, 'x.cast'), '--speed', '0'], 64, '--speed must be more than 0'],
      [['--out', path.join(folder, 'x.cast'), '--speed', 'fast'], 64, 'speed'],
      [['--out', '/proc/x.cast'], 74, '/proc/x.cast'],
      [['--json'], 64, 'needs --out'],
    ]
    for (const [args, code, why] of refused) {
      const { code: got, stderr, stdout } = await home.run(['export', id, ...args])
      expect([args, got, stderr + stdout]).toEqual([args, code, expect.stringContaining(why)])
    }
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('x.') || name.endsWith('.tmp'))).toEqual(
      [],
    )
  })

  test('by a caller who has left is taken back', async () => {
    const big = await home.ok('create', '--cols', '200', '--rows', '50', '--', 'sh', '-c', 'seq 1 2000000')
    await home.ok('wait', big, '--exit')
    const client = await home.connect()
    const target = path.join(folder, 'left')
    fs.mkdirSync(target)
    const controller = new AbortController()
    let told = 0
    const call = client.call(
      'session.export',
      { session: big, out: path.join(target, 'big.cast') },
      {
        signal: controller.signal,
        onProgress: () => {
          told++
          controller.abort(new Error('enough'))
        },
      },
    )
    await expect(call).rejects.toThrow('enough')
    expect(told).toBeGreaterThan(0)
    await until('nothing is left', () => fs.readdirSync(target).length === 0)
    client.close()
  })
})

test('the CLI prints no animation onto a terminal', async () => {
  const session = await home.ok('create', '--cols', '200', '--', 'sh')
  await home.ok('type', session, `'${process.execPath}' '${CLI}' export shown --format gif`, '--enter')
  const line = await home.ok('wait', session, '--text', 'would control your terminal', '--after-input')
  expect(line).toContain('gif output would control your terminal; add --out FILE')
})
