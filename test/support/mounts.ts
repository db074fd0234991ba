import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { until } from './until.ts'

/** Whether this process may mount a file system. */
export function canMount(): boolean {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-mount-'))
  try {
    return tryMount(folder, 1 << 20) && spawnSync('umount', [folder]).status === 0
  } finally {
    fs.rmdirSync(folder)
  }
}

/** Mounts an empty file system of this size. */
export function mountTmpfs(folder: string, sizeBytes: number): void {
  fs.mkdirSync(folder, { recursive: true })
  if (!tryMount(folder, sizeBytes)) throw new Error(`could not mount a tmpfs on ${folder}`)
}

/** As unmount() waits: nobody may have a file open for writing. */
export async function remountReadOnly(folder: string): Promise<void> {
  await until(`${folder} is read-only`, () => spawnSync('mount', ['-o', 'remount,ro', folder]).status === 0)
}

export async function remountWritable(folder: string): Promise<void> {
  await until(`${folder} is writable`, () => spawnSync('mount', ['-o', 'remount,rw', folder]).status === 0)
}

/** Makes room on a tmpfs. */
export function growTmpfs(folder: string, sizeBytes: number): void {
  run('mount', '-o', `remount,size=${sizeBytes}`, folder)
}

/** Waits for whoever still has a file open there: a process that ends lets go of them last. */
export async function unmount(folder: string): Promise<void> {
  await until(`${folder} is unmounted`, () => spawnSync('umount', [folder]).status === 0)
}

/** Writes a file until the disk takes no more; returns its path. */
export function fillDisk(folder: string): string {
  const file = path.join(folder, 'filler')
  const fd = fs.openSync(file, 'w')
  try {
    for (let size = 64 << 10; size >= 1;) {
      try {
        fs.writeSync(fd, Buffer.alloc(size, 0x2e))
      } catch {
        size >>= 1 // the last pages, too
      }
    }
  } finally {
    fs.closeSync(fd)
  }
  return file
}

function tryMount(folder: string, sizeBytes: number): boolean {
  const options = `size=${sizeBytes},mode=0700`
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr.toString()}`)
}
