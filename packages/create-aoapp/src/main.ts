#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { scaffold, TEMPLATES, UsageError, type Template } from './scaffold.ts'

const HELP = `Makes a project for an app that runs in @aotui/runtime.

  npm create aoapp my-app -- --template react

Options
  --template NAME   ${TEMPLATES.join(', ')}
  --id ID           reverse domain notation (default: com.example.my-app)
  --title TEXT      what people and agents call it (default: My App)
  --version, --help

On a terminal, what is not given is asked for.
`

const EXIT_USAGE = 64

try {
  await run()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`create-aoapp: ${error.message}\n`)
  process.exitCode = EXIT_USAGE
}

async function run(): Promise<void> {
  const { values, positionals } = parse()
  const sources = {
    templates: fileURLToPath(new URL('../templates', import.meta.url)),
    version: ownVersion(),
  }
  if (values.help || values.version) {
    process.stdout.write(values.version ? `${sources.version}\n` : HELP)
    return
  }
  const [given, ...rest] = positionals
  if (rest.length > 0) throw new UsageError(`"${rest.join(' ')}" is not understood; name one folder`)
  const dir = given ?? (await ask('Folder', 'my-app', 'no folder is named: npm create aoapp my-app'))
  const wanted =
    values.template ??
    (await ask(
      `Template (${TEMPLATES.join(', ')})`,
      TEMPLATES[0],
      `no --template is named: ${TEMPLATES.join(', ')}`,
    ))
  scaffold({ dir, template: templateOf(wanted), id: values.id, title: values.title }, sources)
  process.stdout.write(`${dir} is there.\n\n  cd ${dir}\n  npm install\n  npm run dev\n`)
}

/** Asks a person; without a terminal there is none to ask. */
async function ask(question: string, usual: string, problem: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw new UsageError(problem)
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await lines.question(`${question} [${usual}]: `)).trim() || usual
  } finally {
    lines.close()
  }
}

function templateOf(name: string): Template {
  const found = TEMPLATES.find((template) => template === name)
  if (found === undefined)
    throw new UsageError(`there is no template "${name}"; there are ${TEMPLATES.join(', ')}`)
  return found
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        template: { type: 'string' },
        id: { type: 'string' },
        title: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
