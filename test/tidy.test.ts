/** Holds what reviewers would otherwise have to say each time: directions of import, lengths, what has no place in src. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseAst } from 'vite'
import { VERSION } from '@transom/protocol'
import { importTable } from './support/import-graph.ts'
import { needs } from './support/needs.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 70

/** What each folder of the product may import beside itself (docs/ARCHITECTURE.md). `main` may import anything. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  platform: ['lib'],
  terminal: ['lib'],
  log: ['lib', 'platform'],
  home: ['lib', 'platform', 'log'],
  blocks: ['lib', 'platform', 'log'],
  session: ['lib', 'platform', 'terminal', 'log', 'home', 'blocks'],
  kinds: ['lib', 'platform', 'terminal', 'log', 'home', 'blocks', 'session'],
  'evidence/pictures': ['lib'],
  'evidence/picture-worker': ['lib', 'evidence/pictures'],
  'evidence/replay': ['lib', 'log', 'terminal', 'session'],
  'evidence/recordings': ['lib', 'terminal', 'log', 'session', 'evidence/pictures', 'evidence/replay'],
  'evidence/player': ['terminal', 'log', 'session', 'evidence/replay', 'evidence/recordings'],
  host: [
    'lib',
    'platform',
    'terminal',
    'log',
    'home',
    'blocks',
    'session',
    'evidence/pictures',
    'evidence/picture-worker',
    'evidence/replay',
    'evidence/recordings',
  ],
  doctor: ['lib', 'platform', 'home', 'kinds'],
  'surfaces/cli': ['lib', 'home', 'doctor'],
  'surfaces/host-calls': ['lib', 'home'],
  'surfaces/mcp': ['lib', 'home', 'surfaces/host-calls'],
  'surfaces/gateway': ['lib', 'platform', 'home', 'surfaces/host-calls', 'surfaces/mcp'],
  'surfaces/awi': ['lib', 'host', 'surfaces/cli'],
  'surfaces/live-view': [],
  'surfaces/browser': ['lib', 'surfaces/live-view'],
}
/** What each folder or package may import of the workspace's packages and of others. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  lib: ['@transom/protocol/errors', 're2js'],
  terminal: ['@transom/protocol', '@transom/protocol/errors', '@transom/grid'],
  'evidence/pictures': ['@transom/protocol', '@transom/protocol/errors', '@transom/grid'],
  'evidence/picture-worker': ['@transom/protocol', '@transom/protocol/errors', '@transom/grid'],
  log: ['@transom/protocol', '@transom/protocol/errors'],
  home: ['@transom/protocol', '@transom/protocol/errors', '@transom/protocol/version', 'zod'],
  platform: ['@transom/protocol/errors', 'koffi'],
  blocks: ['@transom/protocol', '@transom/protocol/errors'],
  kinds: [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/grid',
    'devtools-protocol',
    'devtools-protocol/types/protocol-mapping.js',
    'get-east-asian-width',
  ],
  session: ['@transom/protocol', '@transom/protocol/errors', '@transom/grid', 'zod'],
  'evidence/replay': ['@transom/protocol', '@transom/protocol/errors'],
  'evidence/recordings': ['@transom/protocol', '@transom/protocol/errors', '@transom/grid', '@transom/tui'],
  'evidence/player': ['@transom/protocol', '@transom/protocol/errors', '@transom/grid', '@transom/tui'],
  host: [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/protocol/jsonrpc',
    '@transom/client',
    '@transom/client/unix-socket',
    '@transom/grid',
  ],
  doctor: ['@transom/protocol', '@transom/protocol/errors'],
  'surfaces/cli': [
    '@transom/grid',
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/protocol/jsonrpc',
    '@transom/protocol/version',
    '@transom/client',
    '@transom/client/unix-socket',
  ],
  'surfaces/host-calls': ['@transom/protocol', '@transom/protocol/errors', '@transom/client'],
  'surfaces/gateway': [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/protocol/jsonrpc',
    '@transom/client',
    '@hono/node-server',
    '@hono/node-server/utils/response',
    'hono',
    'ws',
    'zod',
  ],
  'surfaces/mcp': [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/client',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
    'zod',
  ],
  'surfaces/awi': [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/protocol/jsonrpc',
    '@transom/protocol/version',
    '@transom/client',
    '@transom/client/unix-socket',
  ],
  'surfaces/live-view': ['@transom/protocol', '@transom/client', '@transom/grid', '@transom/tui'],
  'surfaces/browser': [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/client',
    '@transom/grid',
    '@transom/tui',
  ],
  'aotui-sdk': ['@aotui/runtime', 'preact/hooks', 'react', 'svelte', 'svelte/elements', 'vue'],
  aoapp: ['@aotui/runtime', '@transom/grid', '@transom/tui', '@transom/tui/node', 'es-module-lexer', 'vite'],
  'create-aoapp': [],
  protocol: ['zod'],
  grid: [],
  tui: ['@transom/grid'],
  client: [
    '@transom/protocol',
    '@transom/protocol/errors',
    '@transom/protocol/jsonrpc',
    '@transom/protocol/version',
  ],
}

interface SourceFile {
  /** Relative to the project's root. */
  readonly name: string
  readonly text: string
}

// What templates hold is the code of projects to come.
const sources = listFiles('packages').filter(({ name }) => /^packages\/[^/]+\/src\/.*\.ts$/.test(name))
const code = sources.filter(({ name }) => !name.endsWith('.test.ts'))
const tests = [...sources.filter(({ name }) => name.endsWith('.test.ts')), ...listFiles('test')]

describe('the product keeps its shape', () => {
  test('imports go only the way the layers allow', () => {
    const wrong = code.flatMap((file) => importsOf(file).flatMap((specifier) => wrongImport(file, specifier)))
    expect(wrong).toEqual([])
  })

  test('what serves every kind of session names none', () => {
    const general = code.filter(({ name }) =>
      /^packages\/transom\/src\/(?:session|host|evidence)\//.test(name),
    )
    expect(general.length).toBeGreaterThan(50)
    const named = general.filter(({ text }) => /(['"`])(?:terminal|web|desktop|browser_lost)\1/.test(text))
    expect(named.map(({ name }) => name)).toEqual([])
  })

  test('docs/ARCHITECTURE.md shows the real import graph; "npm run docs" writes it', () => {
    const page = fs.readFileSync(path.join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8')
    const words = (text: string) => text.replaceAll(/[|\s-]+/g, ' ').trim() // a formatter aligns the table
    const [, shown = ''] = /<!-- import graph -->([^]*?)<!-- end of the import graph -->/.exec(page) ?? []
    expect(words(shown)).toBe(words(importTable(path.join(ROOT, 'packages/transom/src'))))
  })

  test('the CLI loads no zod: from the protocol it takes types, errors and versions', () => {
    const cli = code.filter(({ name }) =>
      /\/(surfaces\/cli|awi\/command|client\/src|main\/((?:whole-)?cli|cli-process|awi-tty)\.ts)/.test(name),
    )
    const loading = cli.filter(({ text }) => /^import (?!type )[^']*? from '@transom\/protocol'/m.test(text))
    expect(loading.map(({ name }) => name)).toEqual([])
  })

  test(`no file has more than ${FILE_LINES_MAX} lines and no function more than ${FUNCTION_LINES_MAX}`, () => {
    const long = code
      .filter(({ text }) => lineCount(text) > FILE_LINES_MAX)
      .map(({ name, text }) => `${name}: ${lineCount(text)} lines`)
    expect([...long, ...code.flatMap(longFunctions)]).toEqual([])
  })

  test('files are named after what they hold', () => {
    const vague = code.filter(({ name }) => {
      const file = path.basename(name)
      return (
        /^(utils?|helpers?|types|manager|misc|common)\.ts$/.test(file) ||
        !/^[a-z0-9-]+(\.test|\.d)?\.ts$/.test(file)
      )
    })
    const indexes = code.filter(
      ({ name }) => name.endsWith('/index.ts') && !/^packages\/[^/]+\/src\/index\.ts$/.test(name),
    )
    expect([...vague, ...indexes].map(({ name }) => name)).toEqual([])
  })

  test('nothing in src sleeps, swallows errors without a word or switches the type checker off', () => {
    const smells =
      /\bsleep\(|setTimeout\(resolve|catch(?: \([^)]*\))? \{\s*\}|\bas any\b|: any\b|@ts-(?:ignore|expect-error|nocheck)/
    expect(code.filter(({ text }) => smells.test(text)).map(({ name }) => name)).toEqual([])
  })

  test('only platform/ reads /proc, loads the FFI or asks which system it is on', () => {
    const ofTheSystem =
      /['"`]\/proc\b|['"`]koffi['"`]|process\.platform\b|\bos\.platform\(|\bplatform\b[^=]*\} = process\b/
    const elsewhere = code.filter(({ name }) => /^packages\/transom\/src\/(?!platform\/)/.test(name))
    expect(elsewhere.filter(({ text }) => ofTheSystem.test(text)).map(({ name }) => name)).toEqual([])
    const inside = code.filter(({ name }) => name.startsWith('packages/transom/src/platform/'))
    expect(inside.filter(({ text }) => ofTheSystem.test(text)).length).toBeGreaterThan(2)
  })

  test('a rejection that is passed over has its reason beside it', () => {
    const bare = code.flatMap(({ name, text }) => {
      const lines = text.split('\n')
      return lines.flatMap((line, index) => {
        if (!/\.catch\(\(\) => (?:\{\}|undefined|null)\)/.test(line)) return []
        const around = lines.slice(Math.max(0, index - 3), index + 1)
        const isExplained = around.some((near) => /\/\/|\*\//.test(near)) || /=.*\.catch/.test(line)
        return isExplained ? [] : [`${name}:${index + 1}`]
      })
    })
    expect(bare).toEqual([])
  })

  needs('git')('the root holds what belongs there and nothing else', () => {
    const known =
      /^(?:\..+|(?:README|CHANGELOG|CONTRIBUTING)\.md|LICENSE|package(?:-lock)?\.json|tsconfig[.\w]*\.json|vitest\.config\.ts|knip\.jsonc)$/
    const tracked = spawnSync('git', ['ls-files', '--', ':(glob)*'], { cwd: ROOT, encoding: 'utf8' })
    expect(tracked.stdout.split('\n').filter((file) => file !== '' && !known.test(file))).toEqual([])
  })

  test('the pure core reaches no clock, file or process', () => {
    const pure = code.filter(({ name }) =>
      /(grid\/src|tui\/src(?!\/node)|transom\/src\/terminal)\//.test(name),
    )
    const impure = pure.filter(({ text }) =>
      /from 'node:|\bprocess\.|Date\.now|performance\.|setTimeout|setImmediate/.test(text),
    )
    // Pictures take deflate from Node, and nothing else.
    const drawing = code.filter(({ name }) => /transom\/src\/evidence\/pictures\//.test(name))
    impure.push(
      ...drawing.filter(({ text }) =>
        /from 'node:(?!zlib')|\bprocess\.|Date\.now|performance\.|setTimeout|setImmediate|Math\.(?:random|sin|cos|tan|pow)|Buffer\./.test(
          text,
        ),
      ),
    )
    expect(impure.map(({ name }) => name)).toEqual([])
  })
})

describe('the tests are honest', () => {
  test('none is skipped, focused or retried but through needs()', () => {
    const bad =
      /\b(?:it|test|describe)\.(?:skip|only|todo|fails|skipIf|runIf)\b|\bskip: *true|\.skip\(|retry: *[1-9]/
    const allowed = new Set(['test/support/needs.ts', 'test/tidy.test.ts'])
    expect(
      tests.filter(({ name, text }) => !allowed.has(name) && bad.test(text)).map(({ name }) => name),
    ).toEqual([])
  })
})

test('every package has the same version, and the protocol knows it', () => {
  const manifests = fs.readdirSync(path.join(ROOT, 'packages')).map((name) => `packages/${name}/package.json`)
  const versions = manifests
    .map(
      (file) =>
        JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8')) as { name: string; version: string },
    )
    .filter(({ name }) => name === 'transom' || name.startsWith('@transom/'))
  expect(versions.length).toBeGreaterThanOrEqual(3)
  expect(new Set(versions.map(({ version }) => version))).toEqual(new Set([VERSION]))
})

function listFiles(folder: string): SourceFile[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && entry.name.endsWith('.ts') && !/node_modules|\/dist/.test(entry.parentPath),
    )
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return { name: path.relative(ROOT, file), text: fs.readFileSync(file, 'utf8') }
    })
}

function importsOf({ text }: SourceFile): string[] {
  return [
    ...text.matchAll(
      /(?:^|\n)(?:import|export)\b[^'\n]*?(?:\n[^'\n]*?)*?from '([^']+)'|\bimport\('([^']+)'\)/g,
    ),
  ].map((match) => match[1] ?? match[2] ?? '')
}

function wrongImport(file: SourceFile, specifier: string): string[] {
  const [, packageName = ''] = /^packages\/([^/]+)\//.exec(file.name) ?? []
  if (specifier.startsWith('node:')) return []
  const folder = layerOf(file.name)
  const layer = packageName === 'transom' ? folder : packageName
  if (layer === 'main' || !(layer in PACKAGES)) return []
  if (!specifier.startsWith('.')) {
    return PACKAGES[layer]?.includes(specifier) ? [] : [`${file.name} imports ${specifier}`]
  }
  if (packageName !== 'transom') return []
  const target = path.join(path.dirname(file.name), specifier)
  const targetFolder = layerOf(target)
  const allowed = targetFolder === folder || LAYERS[folder]?.includes(targetFolder)
  return allowed ? [] : [`${file.name} imports ${target}`]
}

/** The folder of the product that a file belongs to; each surface and each form of evidence is one of its own. */
function layerOf(file: string): string {
  const [, folder = ''] = /^packages\/transom\/src\/((?:(?:surfaces|evidence)\/)?[^/]+)/.exec(file) ?? []
  return folder
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

function longFunctions({ name, text }: SourceFile): string[] {
  const found: string[] = []
  const visit = (node: Node): void => {
    const lines = lineCount(text.slice(node.start, node.end))
    if (/Function/.test(node.type) && !/TS/.test(node.type) && lines > FUNCTION_LINES_MAX) {
      found.push(`${name}:${lineCount(text.slice(0, node.start))} has a function of ${lines} lines`)
    }
    for (const child of Object.values(node)) {
      for (const part of Array.isArray(child) ? child : [child]) if (isNode(part)) visit(part)
    }
  }
  visit(parseAst(text, { lang: 'ts' }))
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function lineCount(text: string): number {
  return text.trimEnd().split('\n').length
}
