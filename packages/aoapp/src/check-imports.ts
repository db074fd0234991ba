import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { init, parse } from 'es-module-lexer'
import type { Finding } from './finding.ts'
import { sourcePlace } from './source-place.ts'
import { messageOf } from './usage-error.ts'

const MODULES_MAX = 5000 // of one app; a build makes a few

/**
 * Imports that will not be there once the app is installed: packages that are neither bundled nor among its
 * `dependencies`, and files that are missing or outside its folder.
 */
export async function checkImports(dir: string, entries: readonly string[]): Promise<Finding[]> {
  await init
  const declared = declaredDependencies(dir)
  const findings: Finding[] = []
  const seen = new Set<string>()
  const queue = entries.flatMap((entry) => modulesOf(resolve(dir, entry)))
  while (queue.length > 0 && seen.size < MODULES_MAX) {
    const file = queue.shift() ?? ''
    if (seen.has(file)) continue
    seen.add(file)
    const fault = await syntaxFault(file, dir)
    if (fault !== undefined) findings.push(fault)
    for (const { specifier, at } of importsOf(file, dir, findings)) {
      const found = judge(specifier, file, { dir, declared })
      if (typeof found === 'string') findings.push({ level: 'error', where: at, text: found })
      else if (found !== undefined) queue.push(found.file)
    }
  }
  return findings
}

/** Node names the place of a mistake only when it is asked for this file alone. */
async function syntaxFault(file: string, dir: string): Promise<Finding | undefined> {
  try {
    await promisify(execFile)(process.execPath, ['--check', file])
    return undefined
  } catch (error) {
    const text = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : ''
    const [, line] = /^.*?:(\d+)$/m.exec(text) ?? []
    const [what] = /^\w*Error: .*$/m.exec(text) ?? []
    return what === undefined
      ? undefined
      : { level: 'error', where: `${relative(dir, file)}:${line}`, text: what }
  }
}

/** A page's module scripts; otherwise the file itself. */
function modulesOf(file: string): string[] {
  if (!/\.html?$/i.test(file)) return [file]
  const scripts = readFileSync(file, 'utf8').matchAll(/<script\b[^>]*\bsrc\s*=\s*["']?([^"'\s>]+)[^>]*>/gi)
  return [...scripts].flatMap(([tag, src = '']) =>
    /\btype\s*=\s*["']?module/i.test(tag) ? [resolve(dirname(file), src.replace(/^\//, './'))] : [],
  )
}

function importsOf(file: string, dir: string, findings: Finding[]): { specifier: string; at: string }[] {
  try {
    const code = readFileSync(file, 'utf8')
    const [imports] = parse(code, file)
    return imports.flatMap(({ n: specifier, s: offset }) =>
      specifier === undefined ? [] : [{ specifier, at: placeOf(code, offset, file, dir) }],
    )
  } catch (error) {
    findings.push({
      level: 'error',
      where: relative(dir, file),
      text: `cannot be read as a module: ${messageOf(error)}`,
    })
    return []
  }
}

/** What is wrong with an import, or the module that it leads to inside the app. */
function judge(
  specifier: string,
  from: string,
  { dir, declared }: { dir: string; declared: ReadonlySet<string> },
): string | { file: string } | undefined {
  if (isBuiltin(specifier) || specifier.startsWith('data:')) return undefined
  if (/^(?:\.{0,2}\/|file:)/.test(specifier)) {
    const file = fileURLToPath(new URL(specifier, pathToFileURL(from)))
    if (!existsSync(file)) return `imports "${specifier}", and there is no such file`
    return relative(dir, file).startsWith('..')
      ? `imports "${specifier}", which lies outside the app's folder`
      : { file }
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  if (!declared.has(name))
    return `imports "${specifier}", which is neither bundled nor in the "dependencies" of package.json`
  try {
    createRequire(from).resolve(`${name}/package.json`)
    return undefined
  } catch (error) {
    // A package may keep its package.json to itself; that it is there is enough.
    const isThere =
      error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
    return isThere ? undefined : `imports "${specifier}", which is not installed; run "npm install"`
  }
}

function declaredDependencies(dir: string): Set<string> {
  const path = join(dir, 'package.json')
  if (!existsSync(path)) return new Set()
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object | undefined>
  return new Set(
    ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) =>
      Object.keys(manifest[field] ?? {}),
    ),
  )
}

function placeOf(code: string, offset: number, file: string, dir: string): string {
  const lines = code.slice(0, offset).split('\n')
  return sourcePlace(`${file}:${lines.length}:${(lines.at(-1) ?? '').length + 1}`, dir) ?? relative(dir, file)
}
