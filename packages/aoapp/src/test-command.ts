import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildApp } from './build-app.ts'
import type { Output } from './output.ts'
import { runCase, type CaseResult } from './run-transcript.ts'
import { parseTranscript, rewriteViews, TranscriptError } from './transcript.ts'
import { UsageError } from './usage-error.ts'

export interface TestOptions {
  readonly dir: string
  /** Pages to run; without any, every `.md` below `test`. */
  readonly files: readonly string[]
  readonly build: boolean
  /** Writes what views show into the pages, in the place of what they expect. */
  readonly update: boolean
}

interface FileResult {
  readonly file: string
  readonly cases: readonly CaseResult[]
  readonly updated: number
}

/** Builds the app and drives it through its transcripts. Returns whether all is as they say. */
export async function testCommand(options: TestOptions, output: Output): Promise<boolean> {
  const { dir } = options
  const files = options.files.length > 0 ? options.files.map((file) => resolve(file)) : findTranscripts(dir)
  if (options.build) await buildApp(dir)
  const results: FileResult[] = []
  for (const file of files) results.push(await testFile(file, options, output))
  const cases = results.flatMap((result) => result.cases)
  const failed = cases.filter(({ failures }) => failures.length > 0)
  const updated = results.reduce((sum, result) => sum + result.updated, 0)
  output.line(
    `${cases.length - failed.length} passed, ${failed.length} failed${updated > 0 ? `, ${updated} views updated` : ''}`,
  )
  output.result({
    passed: cases.length - failed.length,
    failed: failed.length,
    updated,
    files: results.map(({ file, cases: own }) => ({
      file,
      cases: own.map(({ title, line, failures, developerLog }) => ({
        title,
        line,
        failures,
        developer_log: developerLog,
      })),
    })),
  })
  return failed.length === 0
}

async function testFile(path: string, { dir, update }: TestOptions, output: Output): Promise<FileResult> {
  const file = relative(dir, path)
  const text = readTranscript(path)
  const cases: CaseResult[] = []
  for (const one of parse(text, file)) {
    const result = await runCase(dir, one)
    const kept = update ? withoutUpdated(result) : result
    cases.push(kept)
    report(kept, file, output)
  }
  const shown = new Map(update ? cases.flatMap((result) => [...result.shown]) : [])
  if (shown.size > 0) writeFileSync(path, rewriteViews(text, shown))
  return { file, cases, updated: shown.size }
}

/** What is rewritten is no failure any more. */
function withoutUpdated(result: CaseResult): CaseResult {
  const lines = new Set([...result.shown.keys()].map(({ start }) => start + 1))
  return { ...result, failures: result.failures.filter(({ line }) => !lines.has(line)) }
}

function report({ title, failures, developerLog }: CaseResult, file: string, output: Output): void {
  output.line(`${failures.length === 0 ? 'ok    ' : 'FAILED'} ${file}: ${title}`)
  for (const { line, text } of failures) output.line(indent(`${file}:${line}: ${text}`))
  for (const line of developerLog) output.developerLine(line)
}

function parse(text: string, file: string): ReturnType<typeof parseTranscript> {
  try {
    return parseTranscript(text)
  } catch (error) {
    if (error instanceof TranscriptError) throw new UsageError(`${file}: ${error.message}`, { cause: error })
    throw error
  }
}

function readTranscript(path: string): string {
  if (existsSync(path) && statSync(path).isFile()) return readFileSync(path, 'utf8')
  throw new UsageError(`there is no test file ${path}`)
}

function findTranscripts(dir: string): string[] {
  const folder = join(dir, 'test')
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    : []
  if (files.length === 0) throw new UsageError(`no tests: there is no .md file below ${folder}`)
  return files.toSorted().map((name) => join(folder, name))
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
