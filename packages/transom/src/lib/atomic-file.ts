import * as fs from 'node:fs'

/**
 * Replaces a file as a whole: a reader sees the old content or the new, never a part, also after a crash.
 * Durable against a power cut only from the next sync of the folder on.
 */
export function writeFileAtomic(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    fs.writeFileSync(temporary, content, { mode: 0o600 })
    fs.renameSync(temporary, path)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
}
