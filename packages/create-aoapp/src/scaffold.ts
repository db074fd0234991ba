import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

export const TEMPLATES = ['vanilla-ts', 'react', 'preact', 'vue', 'svelte'] as const
export type Template = (typeof TEMPLATES)[number]

/** A mistake of the caller: shown as it is, without a stack. */
export class UsageError extends Error {}

export interface ScaffoldOptions {
  readonly dir: string
  readonly template: Template
  /** Reverse domain notation; `com.example.` and the folder's name unless given. */
  readonly id?: string | undefined
  /** What people and agents call the app; from the folder's name unless given. */
  readonly title?: string | undefined
}

export interface ScaffoldSources {
  /** The folder of the templates. */
  readonly templates: string
  /** Of `@aotui/sdk` and `aoapp`, which are released together with this package. */
  readonly version: string
}

const APP_ID = /^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9_-]*)+$/i

/** Files that npm would leave out of a package, or take for its own, under the name they get. */
const RENAMED: Readonly<Record<string, string>> = { _gitignore: '.gitignore' }

/** Writes a new project. The folder is made, or empty. */
export function scaffold(options: ScaffoldOptions, { templates, version }: ScaffoldSources): void {
  const dir = resolve(options.dir)
  requireEmpty(dir)
  const name = packageName(dir)
  const values = {
    name,
    version,
    id: options.id ?? `com.example.${name}`,
    title: options.title ?? titleOf(name),
  }
  if (!APP_ID.test(values.id))
    throw new UsageError(`the id "${values.id}" is not in reverse domain notation such as com.example.tasks`)
  mkdirSync(dir, { recursive: true })
  for (const part of ['common', options.template]) cpSync(join(templates, part), dir, { recursive: true })
  for (const [from, to] of Object.entries(RENAMED)) renameSync(join(dir, from), join(dir, to))
  for (const file of ['package.json', 'aoapp.json', 'README.md']) fillIn(join(dir, file), values)
}

function requireEmpty(dir: string): void {
  if (!existsSync(dir)) return
  const found = readdirSync(dir).filter((name) => name !== '.git')
  if (found.length > 0) throw new UsageError(`${dir} is not empty; name a new folder`)
}

/** The folder's name as a name that npm takes. */
function packageName(dir: string): string {
  const name = basename(dir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  if (name === '')
    throw new UsageError(`"${basename(dir)}" gives no name of a package; use letters and digits`)
  return name
}

function titleOf(name: string): string {
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

function fillIn(file: string, values: Readonly<Record<string, string>>): void {
  const isJson = file.endsWith('.json')
  const text = readFileSync(file, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => {
    const value = values[name]
    if (value === undefined) return all
    return isJson ? JSON.stringify(value).slice(1, -1) : value
  })
  writeFileSync(file, text)
}
