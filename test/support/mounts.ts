import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'

/** Whether this process may mount a file system. */
export function canMount(): boolean {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-mount-'))
  try {
    if (!tryMount(folder, 1 << 20)) return false
    unmount(folder)
    return true
  } finally {
    fs.rmdirSync(folder)
  }
}

/** Mounts an empty file system of this size. */
export function mountTmpfs(folder: string, sizeBytes: number): void {
  fs.mkdirSync(folder, { recursive: true })
  if (!tryMount(folder, sizeBytes)) throw new Error(`could not mount a tmpfs on ${folder}`)
}

export function remountReadOnly(folder: string): void {
  run('mount', '-o', 'remount,ro', folder)
}

/** Makes room on a tmpfs. */
export function growTmpfs(folder: string, sizeBytes: number): void {
  run('mount', '-o', `remount,size=${sizeBytes}`, folder)
}

export function unmount(folder: string): void {
  run('umount', folder)
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
