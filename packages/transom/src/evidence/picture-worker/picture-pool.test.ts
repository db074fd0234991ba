import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Grid, createGridTables } from '@transom/grid'
import { CLI } from '../../../../../test/support/test-home.ts'
import { packView, type PictureJob } from './picture-job.ts'
import { PicturePool } from './picture-pool.ts'

let folder: string
let pool: PicturePool

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-pool-'))
  pool = new PicturePool(path.join(path.dirname(CLI), 'host.mjs'))
})

afterEach(async () => {
  await pool.close()
  fs.rmSync(folder, { recursive: true })
})

function job(name: string): PictureJob {
  const cursor = { row: 0, col: 0, visible: true, shape: 'block', blink: false } as const
  return {
    view: packView({ grid: new Grid(200, 80, createGridTables()), cursor }),
    format: 'png',
    theme: 'dark',
    scheme: null,
    scale: 1,
    padding: 0,
    showCursor: true,
    window: null,
    crop: null,
    caption: '',
    out: path.join(folder, name),
  }
}

test('a caller that has left does not wait for its picture, and those after it get theirs', async () => {
  const leaving = new AbortController()
  const left = pool.draw(job('left.png'), leaving.signal)
  leaving.abort(new Error('the caller has left'))
  await expect(left).rejects.toThrow('the caller has left')
  const { signal } = new AbortController()
  const [first, second] = await Promise.all([
    pool.draw(job('1.png'), signal),
    pool.draw(job('2.png'), signal),
  ])
  expect([first.width, second.width]).toEqual([first.width, first.width])
  expect(fs.readdirSync(folder)).toEqual(expect.arrayContaining(['1.png', '2.png']))
})
