import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { platform } from './current-platform.ts'

const system = platform()

let folder: string
const opened: number[] = []

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-lock-'))
})

afterEach(() => {
  for (const fd of opened.splice(0)) fs.closeSync(fd)
  fs.rmSync(folder, { recursive: true })
})

/** The file, opened once more: locks of two openings meet as those of two processes do. */
function open(): number {
  const fd = fs.openSync(path.join(folder, 'file'), 'a')
  opened.push(fd)
  return fd
}

describe('a file lock', () => {
  test('is seen while it is held, and not taken by looking', () => {
    const holder = open()
    const onlooker = open()
    expect(system.isFileLocked(onlooker)).toBe(false)
    expect(system.tryLockFile(holder)).toBe(true)
    expect(system.isFileLocked(onlooker)).toBe(true)
    expect(system.tryLockFile(onlooker)).toBe(false)
    expect(system.tryLockWatchedFile(onlooker)).toBe(false)
  })

  test('is free again after it was looked at', () => {
    expect(system.isFileLocked(open())).toBe(false)
    expect(system.tryLockFile(open())).toBe(true)
  })
})
