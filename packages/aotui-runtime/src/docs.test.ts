import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeTempDir } from '../test-support/app-folder.ts'
import { failure, openApp, openDesktop } from '../test-support/desktop-driver.ts'
import { renderHtml } from '../test-support/render-html.ts'
import { buildRuntime, packageDir } from '../test-support/runtime-build.ts'
import * as limits from './contract/limits.ts'
import { toJsonRpcError } from './index.ts'
import { KNOWN_FIELDS } from './manifest/app-manifest.ts'

const readDoc = (name: string) => readFileSync(join(packageDir, 'docs', name), 'utf8')
const contract = readDoc('contract.md')

interface Block {
  readonly language: string
  /** The file that it is, where the document says so. */
  readonly file: string
  readonly text: string
}

/** The code blocks of a document. */
function blocksOf(doc: string): Block[] {
  return [...doc.matchAll(/^(`{3,})(\w+) ?(\S*)\n([\s\S]*?)\n\1$/gm)].map(
    ([, , language = '', file = '', text = '']) => ({ language, file, text }),
  )
}

/** Writes the files of a document into a project that has the runtime installed. */
async function makeProject(...docs: string[]): Promise<string> {
  await buildRuntime()
  const project = makeTempDir()
  mkdirSync(join(project, 'node_modules/@aotui'), { recursive: true })
  symlinkSync(packageDir, join(project, 'node_modules/@aotui/runtime'))
  for (const { file, text } of docs.flatMap((doc) => blocksOf(readDoc(doc)))) {
    if (file === '') continue
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
  }
  return project
}

const run = async (project: string, file: string) =>
  (await promisify(execFile)(process.execPath, [file], { cwd: project })).stdout.trim()
const printed = (doc: string) =>
  blocksOf(readDoc(doc))
    .find(({ language }) => language === 'text')
    ?.text.trim()

describe('the guide to a first app', () => {
  it('shows an app that does what it prints', async () => {
    const project = await makeProject('first-app.md')
    expect(await run(project, 'try.mjs')).toBe(printed('first-app.md'))
  })

  it('shows a page that works without a listener', async () => {
    const driver = await openApp(join(await makeProject('first-app.md'), 'page'))
    await driver.execute('invite --name Ann')
    expect(driver.view('Guests')).toContain('1. [Ann](item:guests[0])')
    expect(driver.developerLog()).toBe('')
  })
})

it('the embedding guide shows a bridge that does what it prints', async () => {
  const project = await makeProject('first-app.md', 'embedding.md')
  expect(await run(project, 'bridge.mjs')).toBe(printed('embedding.md'))
})

/** The cells of the rows of a table, by the heading of its section. */
function tableRows(section: string): string[][] {
  const text = contract.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|')),
    )
}

describe('the contract reference', () => {
  it('shows HTML and the Markdown that it becomes', () => {
    const blocks = blocksOf(contract)
    const pairs = blocks.flatMap(({ language, text }, index) =>
      language === 'html' ? [[text, blocks[index + 1]?.text] as const] : [],
    )
    expect(pairs.length).toBeGreaterThan(1)
    for (const [html, markdown] of pairs) expect(renderHtml(html).text).toBe(markdown)
  })

  it('shows arguments as the agent reads them', () => {
    const rows = tableRows('Arguments').slice(2)
    expect(rows.length).toBeGreaterThan(10)
    for (const [args = '', shown] of rows) {
      const { text } = renderHtml(`<button operation="op" args='${args.replaceAll('`', '')}'>x</button>`)
      expect(`\`${/^ {8}- (.*)$/m.exec(text)?.[1]}\``, args).toBe(shown)
    }
  })

  it('names every field of the manifest, and no other', () => {
    const named = tableRows('The manifest')
      .slice(2)
      .map(([field = '']) => field.replaceAll('`', ''))
    expect(named.toSorted()).toEqual(KNOWN_FIELDS.toSorted())
  })

  it('names every command, and the arguments that it takes', async () => {
    const driver = await openDesktop({})
    const named = tableRows('Commands').flatMap(([cell = '']) => /^`([a-z]+) (?:--|<)/.exec(cell)?.[1] ?? [])
    const { message } = await failure(driver.system('nonsense'))
    const known = /known are (.*)$/.exec(message)?.[1]?.split(', ') ?? []
    expect([...new Set(named)].toSorted()).toEqual(known.toSorted())
  })

  it('names every reason of an error, and no other', () => {
    const files = readdirSync(join(packageDir, 'src'), { recursive: true, encoding: 'utf8' })
    const known = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => reasonsIn(readFileSync(join(packageDir, 'src', file), 'utf8')))
    const named = tableRows('Errors').flatMap(([, , , reasons = '']) =>
      [...reasons.matchAll(/`([a-z_]+)`/g)]
        .map(([, reason = '']) => reason)
        .filter((reason) => reason !== 'permission'),
    )
    expect([...new Set(named)].toSorted()).toEqual([...new Set(known)].toSorted())
  })

  it('shows an error as it is on a wire', async () => {
    const driver = await openDesktop({})
    const shown: unknown = JSON.parse(
      blocksOf(contract).find(({ language }) => language === 'json')?.text ?? '',
    )
    expect(toJsonRpcError(await failure(driver.system('open')), 1)).toEqual(shown)
  })

  it('has the limits of the code', () => {
    const amounts = new Map(tableRows('Limits').map(([what = '', amount = '']) => [what, amount]))
    for (const [what, ...values] of [
      ['views of an app', limits.VIEWS_MAX],
      ['name of a view', limits.VIEW_NAME_CHARS_MAX],
      ['first line of an item', limits.HEAD_CHARS_MAX],
      ['`key`', limits.KEY_CHARS_MAX],
      ['`data-value`', limits.VALUE_CHARS_MAX],
      ['operations of a view', limits.OPERATIONS_MAX],
      ['entities of a view', limits.ENTITIES_MAX],
      ['arguments of an operation', limits.ARGS_MAX],
      ['`args`', limits.ARGS_CHARS_MAX, limits.ARG_DEPTH_MAX],
      ['values of an enum', limits.ENUM_VALUES_MAX, limits.ENUM_CHARS_MAX],
      ['one view, all views of an app', limits.VIEW_CHARS_MAX, limits.HELD_CHARS_MAX],
      ['parts of a view', limits.CHUNKS_MAX],
      ['app data', limits.APP_DATA_CHARS_MAX],
      ['a line of a log', limits.LOG_CHARS_MAX],
    ] as const) {
      for (const value of values) expect(amounts.get(what), what).toContain(value.toLocaleString('en-US'))
    }
  })
})

function reasonsIn(source: string): string[] {
  const found: string[] = []
  for (const [, text = ''] of source.matchAll(/reason: ([^,}\n]*)/g))
    for (const [, reason = ''] of text.matchAll(/(?<!\[)'([a-z_]+)'/g)) found.push(reason)
  for (const [, reason = ''] of source.matchAll(/VIOLATION = '([a-z_]+)'/g)) found.push(reason)
  for (const [, reason = ''] of source.matchAll(/notFound\([^\n]*'([a-z_]+)'\)/g)) found.push(reason)
  return found.filter((reason) => !['dom_mutation', 'app_opened', 'app_closed'].includes(reason))
}
