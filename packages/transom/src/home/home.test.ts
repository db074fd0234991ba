import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Home } from './home.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-home-'))
})

afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

describe('opening a Home that another process is making', () => {
  test('ignores the temporary file of the other process', () => {
    fs.writeFileSync(path.join(folder, 'home.json.4711.tmp'), '')
    expect(Home.open(folder).path).toBe(fs.realpathSync(folder))
  })

  test('refuses a folder with other files', () => {
    fs.writeFileSync(path.join(folder, 'notes.txt'), '')
    expect(() => Home.open(folder)).toThrow('it has other files in it and no home.json')
  })
})
