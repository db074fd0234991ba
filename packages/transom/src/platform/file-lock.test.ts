import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileLock, withFileLock, withFileLockBlocking } from './file-lock.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-lock-'))
  file = path.join(folder, 'lock')
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

describe('a lock file', () => {
  test('is held by one caller at a time, and free after its release', () => {
    const held = FileLock.try(file)
    expect([held === null, FileLock.try(file)]).toEqual([false, null])
    held?.release()
    const again = FileLock.block(file)
    expect(FileLock.try(file)).toBeNull()
    again.release()
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is waited for', async () => {
    const held = FileLock.try(file)
    const waiting = FileLock.wait(file)
    held?.release()
    const got = await waiting
    expect(got).not.toBeNull()
    got?.release()
  })

  test('is waited for no longer than its caller wants to', async () => {
    const held = FileLock.try(file)
    const gone = new AbortController()
    const waiting = FileLock.wait(file, gone.signal)
    gone.abort()
    await expect(waiting).rejects.toThrow('abort')
    held?.release()
  })

  test('is released when the work under it fails', async () => {
    const broken = () => {
      throw new Error('broken')
    }
    await expect(withFileLock(file, broken)).rejects.toThrow('broken')
    expect(() => withFileLockBlocking(file, broken)).toThrow('broken')
    expect(withFileLockBlocking(file, () => 42)).toBe(42)
  })

  test('that another process keeps is an error that names it', async () => {
    const held = FileLock.try(file)
    await expect(withFileLock(file, () => 42)).rejects.toMatchObject({
      code: 'io_error',
      message: expect.stringContaining(file) as string,
    })
    held?.release()
  })
})
