/** Pictures of sessions, through the real programs. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { readRgba } from '../packages/transom/src/lib/png-reader.ts'
import { encodePng } from '../packages/transom/src/evidence/pictures/png-writer.ts'
import { rasterize } from '../packages/transom/src/evidence/pictures/rasterizer.ts'
import { needs } from './support/needs.ts'
import { frameOf, sha256, shippedGlyphs } from './support/pictures.ts'
import { TestHome } from './support/test-home.ts'

type Shot = Result<'session.screenshot'>

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

const file = (name: string) => path.join(home.root, name)

async function show(name: string, bytes: string, ...options: string[]): Promise<string> {
  fs.writeFileSync(file(`${name}.txt`), `${bytes}\x1b[?25l`)
  const id = await home.ok(
    'create',
    '--name',
    name,
    ...options,
    '--',
    'sh',
    '-c',
    `cat ${file(`${name}.txt`)}; cat`,
  )
  await home.ok('wait', name, '--screen-stable-ms', '300')
  return id
}

describe('a screenshot', () => {
  test('is the picture of the screen, pixel for pixel, and says what it is', async () => {
    const session = await show('work', 'Hello, \x1b[1;31mworld\x1b[0m ┌─┐', '--cols', '40', '--rows', '5')
    const shot = await home.json<Shot>('screenshot', 'work', '-o', 'work.png')
    const bytes = fs.readFileSync(file('work.png'))
    const expected = rasterize(frameOf('Hello, \x1b[1;31mworld\x1b[0m ┌─┐\x1b[?25l', 40, 5), shippedGlyphs(1))
    expect(sha256(readRgba(bytes, 'work.png').rgba)).toBe(sha256(expected.rgba))
    const { seq, screen_hash } = await home.json<{ seq: number; screen_hash: string }>('snapshot', 'work')
    expect(shot).toEqual({
      session,
      seq,
      format: 'png',
      path: file('work.png'),
      artifact: 1,
      bytes: bytes.length,
      sha256: sha256(bytes),
      width: 376,
      height: 106,
      cols: 40,
      rows: 5,
      scale: 1,
      theme: 'dark',
      screen_hash,
      missing_glyphs: null,
    })
  })

  test('is kept once among the artifacts, and its path is printed', async () => {
    await show('work', 'evidence')
    const kept = await home.ok('screenshot', 'work')
    expect(await home.ok('screenshot', 'work')).toBe(kept)
    expect(path.dirname(kept)).toMatch(/\/sessions\/[a-z0-9]{12}\/artifacts$/)
    const { artifacts } = await home.json<{ artifacts: object[] }>('artifacts', 'list', 'work')
    expect(artifacts).toEqual([expect.objectContaining({ id: 1, kind: 'screenshot', format: 'png' })])
    expect(await home.ok('artifacts', 'verify', 'work')).toContain('1 artifact,')
  })

  test('is taken of the past, and of a session that has ended', async () => {
    await home.ok(
      'create',
      '--name',
      'work',
      '--cols',
      '20',
      '--rows',
      '3',
      '--',
      'sh',
      '-c',
      'printf "first\\033[?25l"; read x; printf "\\rthen "; exit',
    )
    await home.ok('wait', 'work', '--text', 'first')
    const { seq } = await home.json<{ seq: number }>('snapshot', 'work')
    await home.ok('mark', 'work', 'begin')
    const live = await home.json<Shot>('screenshot', 'work')
    await home.ok('type', 'work', 'x', '--enter')
    await home.ok('wait', 'work', '--exit')
    const ended = await home.json<Shot>('screenshot', 'work')
    const bySeq = await home.json<Shot>('screenshot', 'work', '--at-seq', String(seq))
    const byMark = await home.json<Shot>('screenshot', 'work', '--at-mark', 'begin')
    expect([bySeq.sha256, byMark.sha256]).toEqual([live.sha256, live.sha256])
    expect(ended.sha256).not.toBe(live.sha256)
    expect(ended.screen_hash).not.toBe(live.screen_hash)
  })

  test('goes to standard output, into the answer, or into a file by its name', async () => {
    await show('work', 'Hello')
    const written = await home.json<Shot>('screenshot', 'work', '-o', 'a.png')
    const inline = await home.json<Shot>('screenshot', 'work', '--inline')
    expect(sha256(Buffer.from(inline.png_b64 ?? '', 'base64'))).toBe(written.sha256)
    await home.run(['create', '--name', 'pipe', '--', 'sh', '-c', 'true'])
    const svg = await home.run(['screenshot', 'work', '-o', '-', '--format', 'svg'])
    expect(svg.stdout).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^]*>Hello<\/text>[^]*<\/svg>\n$/)
    expect(await home.json<Shot>('screenshot', 'work', '-o', 'a.html')).toMatchObject({
      format: 'html',
      width: null,
    })
    expect(fs.readFileSync(file('a.html'), 'utf8')).toContain('<pre>Hello')
    expect(await home.json<Shot>('screenshot', 'work', '--inline', '--format', 'html')).toMatchObject({
      text: fs.readFileSync(file('a.html'), 'utf8'),
    })
  })

  test('can be larger, in other colours, in a window, and of a part', async () => {
    await show('work', 'one\r\ntwo\r\nthree\r\ntwo\r\nfive   six', '--cols', '40', '--rows', '10')
    const size = async (...args: string[]) => {
      const { width, height, cols, rows, theme } = await home.json<Shot>(
        'screenshot',
        'work',
        '--padding',
        '0',
        ...args,
      )
      return [width, height, cols, rows, theme]
    }
    expect(await size('--scale', '3')).toEqual([1080, 540, 40, 10, 'dark'])
    expect(await size('--theme', 'light', '--window')).toEqual([362, 210, 40, 10, 'light'])
    expect(await size('--crop-rows', '2-4', '--crop-cols', '0')).toEqual([9, 54, 1, 3, 'dark'])
    expect(await size('--crop-text', 'two')).toEqual([360, 54, 40, 3, 'dark'])
    expect(await size('--crop-text', 'five six')).toEqual([360, 18, 40, 1, 'dark'])
    const colors = Array.from({ length: 16 }, (_, index) => `#0000${index.toString(16)}0`)
    fs.writeFileSync(
      file('sea.json'),
      JSON.stringify({ name: 'Sea', foreground: '#ffffff', background: '#000044', colors }),
    )
    expect(await size('--scheme', 'sea.json')).toEqual([360, 180, 40, 10, 'Sea'])
  })

  test('says clearly why it cannot be taken', async () => {
    await show('work', 'here')
    fs.writeFileSync(file('there.png'), 'mine')
    fs.writeFileSync(file('bad.json'), '{}')
    const failure = async (...args: string[]) => {
      const { error } = await home.json<{ error: { code: string; message: string } }>(
        'screenshot',
        'work',
        ...args,
      )
      return `${error.code}: ${error.message}`
    }
    expect(await failure('-o', 'there.png')).toMatch(/^file_exists: .*there\.png is there already; .*--force/)
    expect(fs.readFileSync(file('there.png'), 'utf8')).toBe('mine')
    expect(await failure('-o', 'x.jpg')).toMatch(/^usage: .*"\.jpg".*png, svg, html.*--format png/)
    expect(await failure('-o', 'no/such/folder.png')).toMatch(/^file_not_written: /)
    expect(await failure('--crop-text', 'elsewhere')).toMatch(
      /^text_not_found: .*"elsewhere" of --crop-text is not on the screen/,
    )
    expect(await failure('--crop-rows', '40-50')).toMatch(
      /^usage: --crop-rows: the screen has 24, counted from 0/,
    )
    expect(await failure('--scheme', 'bad.json')).toMatch(/^scheme_invalid: .*"black" is missing/)
    expect(await failure('--scheme', 'none.json')).toMatch(/^file_not_read: /)
    expect(await failure('--at-seq', '999999')).toMatch(/^moment_not_found: /)
    expect(await failure('-o', '-')).toMatch(/^usage: /)
    await home.ok('screenshot', 'work', '-o', 'there.png', '--force')
    expect(fs.readFileSync(file('there.png')).subarray(1, 4).toString()).toBe('PNG')
  })

  test('draws emoji in colour and Chinese from optional packages, when they are there', async () => {
    await show('work', '漢字 👍', '--cols', '10', '--rows', '1')
    const shot = await home.json<Shot>('screenshot', 'work', '-o', 'a.png')
    expect(shot.missing_glyphs).toBeNull()
    const { rgba } = readRgba(fs.readFileSync(file('a.png')), 'a.png')
    const isYellow = (at: number) =>
      (rgba[at] ?? 0) > 200 && (rgba[at + 1] ?? 0) > 150 && (rgba[at + 2] ?? 0) < 120
    expect(Array.from({ length: rgba.length / 4 }, (_, index) => isYellow(index * 4)).some(Boolean)).toBe(
      true,
    )
  })

  test('tells which optional packages have what it could not draw', async () => {
    // A copy of the program, in a place from which no package can be found.
    const lone = file('lone')
    fs.cpSync(path.join(import.meta.dirname, '../packages/transom/dist'), lone, { recursive: true })
    const packages = path.join(lone, 'node_modules')
    fs.mkdirSync(path.join(packages, '@lydell'), { recursive: true })
    for (const name of ['koffi', '@lydell/node-pty', '@lydell/node-pty-linux-x64']) {
      const source = path.join(import.meta.dirname, '../node_modules', name)
      if (fs.existsSync(source)) fs.cpSync(source, path.join(packages, name), { recursive: true })
    }
    const koromix = path.join(import.meta.dirname, '../node_modules/@koromix')
    if (fs.existsSync(koromix)) fs.cpSync(koromix, path.join(packages, '@koromix'), { recursive: true })
    fs.writeFileSync(file('x.txt'), '漢 👍')
    const program = path.join(lone, 'cli.cjs')
    await home.run(['create', '--name', 'work', '--', 'sh', '-c', `cat ${file('x.txt')}; cat`], { program })
    await home.run(['wait', 'work', '--text', '漢'], { program })
    const { stderr, stdout } = await home.run(['screenshot', 'work', '--json'], { program })
    expect(JSON.parse(stdout || stderr)).toMatchObject({
      missing_glyphs: {
        code_points: ['U+6F22', 'U+1F44D'],
        install: ['@napi-rs/canvas', '@embedpdf/fonts-sc', 'twemoji-colr-font'],
      },
    })
    const told = await home.run(['screenshot', 'work'], { program })
    expect(told.stderr).toBe(
      'transom: no glyph for U+6F22, U+1F44D: drawn as empty boxes; "npm install -g @napi-rs/canvas @embedpdf/fonts-sc twemoji-colr-font" has them\n',
    )
  })

  test('is taken many times at once while other sessions go on', async () => {
    await show('work', 'busy', '--cols', '120', '--rows', '40')
    await home.ok('create', '--name', 'other', '--', 'cat')
    const client = await home.connect()
    try {
      const shots = Array.from({ length: 40 }, () =>
        client.call('session.screenshot', { session: 'work', scale: 3 }),
      )
      await client.call('session.type', { session: 'other', text: 'still here', enter: true })
      await client.call('session.wait', { session: 'other', text: 'still here', timeout_ms: 30_000 })
      const hashes = new Set((await Promise.all(shots)).map(({ sha256: hash }) => hash))
      expect(hashes.size).toBe(1)
    } finally {
      client.close()
    }
  })
})

describe('two screenshots', () => {
  test('are compared: 0 for the same, 1 and a red picture for different ones', async () => {
    await show('work', 'before', '--cols', '20', '--rows', '3')
    await home.ok('screenshot', 'work', '-o', 'a.png')
    await home.ok('type', 'work', 'more', '--enter')
    await home.ok('wait', 'work', '--text', 'more')
    await home.ok('screenshot', 'work', '-o', 'b.png')
    expect(await home.run(['screenshot-diff', 'a.png', 'a.png'])).toMatchObject({
      code: 0,
      stdout: 'the same\n',
    })
    const differ = await home.run(['screenshot-diff', 'a.png', 'b.png', '-o', 'd.png'])
    expect(differ.code).toBe(1)
    expect(differ.stdout).toMatch(/^\d+ of 13720 pixels differ \(\d+\.\d\d %\), in \d+x\d+ at \d+,\d+\n$/)
    const { width, height } = readRgba(fs.readFileSync(file('d.png')), 'd.png')
    expect([width, height]).toEqual([196, 70])
    expect(await home.json('screenshot-diff', 'a.png', 'b.png')).toMatchObject({ same: false, path: null })
  })

  test('that cannot be read are refused with a reason', async () => {
    fs.writeFileSync(file('a.png'), encodePng({ width: 1, height: 1, rgba: new Uint8Array(4) }))
    fs.writeFileSync(file('text.png'), 'no picture')
    expect(await home.run(['screenshot-diff', 'a.png', 'text.png'])).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('text.png cannot be read as a PNG: it is no PNG') as string,
    })
    expect(await home.run(['screenshot-diff', 'a.png', 'none.png'])).toMatchObject({ code: 66 })
    expect(await home.run(['screenshot-diff', 'a.png', 'a.png', '-o', 'text.png'])).toMatchObject({
      code: 65,
    })
  })
})

needs('vim')('vim is drawn with its colours', async () => {
  fs.writeFileSync(file('a.c'), 'int main(void) { return "text"; } /* TODO */\n')
  await home.ok(
    'create',
    '--name',
    'vim',
    '--cols',
    '60',
    '--rows',
    '10',
    '--',
    'vim',
    '-u',
    'NONE',
    '-c',
    'syntax on',
    file('a.c'),
  )
  await home.ok('wait', 'vim', '--text', 'TODO', '--screen-stable-ms', '300')
  const shot = await home.json<Shot>('screenshot', 'vim', '-o', 'vim.png')
  expect(shot).toMatchObject({ cols: 60, rows: 10, missing_glyphs: null })
  const { rgba } = readRgba(fs.readFileSync(file('vim.png')), 'vim.png')
  const colors = new Set<string>()
  for (let at = 0; at < rgba.length; at += 4)
    colors.add(Buffer.from(rgba.subarray(at, at + 3)).toString('hex'))
  for (const color of ['6fb36f', 'cc5555', '5f8fd0']) expect(colors).toContain(color) // type, string, comment
})
