import * as fs from 'node:fs'

/** Without O_NONBLOCK, opening a pipe that stands in the file's place would wait for a writer. */
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

/** The text of a file that may be hostile. Throws for a link, for what is not a plain file, and for a longer one. */
export function readBoundedFile(file: string, bytesMax: number): string {
  const fd = fs.openSync(file, FLAGS)
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) throw new Error(`${file} is not a plain file`)
    if (stat.size > bytesMax) throw new Error(`${file} has ${stat.size} bytes and may have ${bytesMax}`)
    return fs.readFileSync(fd, 'utf8')
  } finally {
    fs.closeSync(fd)
  }
}
