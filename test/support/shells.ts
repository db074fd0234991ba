import { afterAll, beforeAll, describe, type test } from 'vitest'
import type { Client } from '@transom/client'
import { needs } from './needs.ts'
import { ShellUnderTest, runDirectly, type ShellOptions } from './shell-under-test.ts'
import { TestHome } from './test-home.ts'

export const SHELLS = ['bash', 'bash-lean', 'zsh', 'dash', 'fish'] as const
/** `bash-lean` is a conversation's own bash. */
export type Shell = (typeof SHELLS)[number]

/** So that zsh does not ask how it shall be set up, and fish does not write completions in the background. */
const FILES: Partial<Record<Shell, Record<string, string>>> = {
  zsh: { '.zshrc': '' },
  fish: { '.local/share/fish/generated_completions/none.fish': '' },
}

/** One Home with a running host for all tests of a file, and shells in it. */
export class Shells {
  readonly home = new TestHome()
  #client: Client | undefined
  #conversations = 0

  async open(): Promise<void> {
    await this.home.ok('create', '--', 'true')
    this.#client = await this.home.connect()
  }

  async close(): Promise<void> {
    this.#client?.close()
    await this.home.close()
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error('the Home is open while tests run')
    return this.#client
  }

  newConversation(): string {
    return `conversation ${++this.#conversations}`
  }

  /** A shell on a terminal of its own, with integration. */
  async start(name: Shell, options: ShellOptions = {}): Promise<ShellUnderTest> {
    if (name === 'bash-lean')
      return ShellUnderTest.conversation(this.home, this.client, this.newConversation())
    return ShellUnderTest.start(this.home, this.client, {
      command: [name],
      files: FILES[name] ?? {},
      ...options,
    })
  }

  async runDirectly(argv: readonly string[], cwd: string): Promise<{ output: string; code: number | null }> {
    return runDirectly(this.home, this.client, { argv, cwd })
  }
}

/** Opens the Home before the tests of a file and closes it behind them. */
export function useShells(): Shells {
  const shells = new Shells()
  beforeAll(async () => shells.open())
  afterAll(async () => shells.close())
  return shells
}

/** The `test` to use where shells must be installed. */
export function needsShells(...names: readonly Shell[]): typeof test {
  return needs(...new Set(names.map((name) => name.replace(/-lean$/, ''))))
}

/** The same tests for several shells, each with the `test` that needs it. */
export const inShells = <S extends Shell>(...names: readonly S[]) =>
  describe.each(names.map((name) => ({ name, test: needsShells(name) })))
