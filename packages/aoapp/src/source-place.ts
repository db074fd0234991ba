import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A place in built code as the place in its source: `file:///app/dist/main.js:120:7` → `src/app.tsx:12:5`. Without a source
 * map it is the built place. Paths are relative to the app's folder.
 */
export function sourcePlace(at: string | undefined, dir: string): string | undefined {
  const [, address = '', line = '', column = ''] = /^(.*):(\d+):(\d+)$/.exec(at ?? '') ?? []
  if (address === '') return at
  const file = address.startsWith('file:') ? fileURLToPath(address.replace(/\?.*$/, '')) : address
  const entry = readMap(file)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (entry === undefined || !('originalSource' in entry) || entry.originalSource === undefined)
    return `${shorten(file, dir)}:${line}:${column}`
  const source = resolve(dirname(file), entry.originalSource)
  return `${shorten(source, dir)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}

/** Read at each use: the build writes a new one at every change. */
function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(
      JSON.parse(readFileSync(`${file}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
    )
  } catch {
    return undefined // the app was not built, or without a map
  }
}

function shorten(file: string, dir: string): string {
  return file.startsWith(dir + sep) ? relative(dir, file) : file
}
