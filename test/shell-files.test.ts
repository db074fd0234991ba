import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { describe, expect } from 'vitest'
import { compactShell } from '../scripts/shell-files.mjs'
import { needs } from './support/needs.ts'

const FOLDER = path.join(import.meta.dirname, '..', 'packages', 'transom', 'src')
const filesOf = (...extensions: string[]) =>
  fs
    .readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => extensions.includes(path.extname(name)))

function run(program: string, ...args: string[]): { status: number | null; printed: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: FOLDER, encoding: 'utf8' })
  return { status, printed: `${stdout}${stderr}` }
}

describe('the files of shell code', () => {
  needs('shellcheck')('satisfy shellcheck', () => {
    const files = filesOf('.bash', '.sh')
    expect(files.length).toBeGreaterThan(5)
    expect(run('shellcheck', ...files)).toEqual({ status: 0, printed: '' })
  })

  needs('zsh').for(filesOf('.zsh'))('%s is parsed by zsh', (file) => {
    expect(run('zsh', '-n', file)).toEqual({ status: 0, printed: '' })
  })

  needs('fish').for(filesOf('.fish'))('%s is parsed by fish', (file) => {
    expect(run('fish', '--no-execute', file)).toEqual({ status: 0, printed: '' })
  })
})

describe('a text without comments and indentation defines the same functions', () => {
  const defining = (extension: string) =>
    filesOf(extension).filter((file) => /^[\w-]+\(\) \{|^function /m.test(read(file)))
  const read = (file: string) => fs.readFileSync(path.join(FOLDER, file), 'utf8')

  needs('bash').for(defining('.bash'))('%s', (file) => {
    const functions = (text: string) => run('bash', '--norc', '-c', `${text}\ndeclare -f`)
    expect(functions(compactShell(read(file)))).toEqual(functions(read(file)))
    expect(functions(read(file)).printed).toContain('__transom_')
  })

  needs('zsh').for(defining('.zsh'))('%s', (file) => {
    const functions = (text: string) =>
      run('zsh', '-f', '-o', 'interactive_comments', '-c', `${text}\nfunctions`)
    expect(functions(compactShell(read(file)))).toEqual(functions(read(file)))
    expect(functions(read(file)).printed).toContain('__transom_')
  })
})
