/** Every command is one block, with its exact output, status and folder, in every integrated shell. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import { ShellUnderTest, runDirectly } from './support/shell-under-test.ts'
import { TestHome } from './support/test-home.ts'

let home: TestHome
let client: Client

beforeAll(async () => {
  home = new TestHome()
  await home.ok('create', '--', 'true')
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await home.close()
})

interface Case {
  readonly title: string
  readonly command: string
  /** Only for shells that can do this. */
  readonly notIn?: readonly string[]
}

/** Compared byte for byte with what the same shell prints for `-c` on a terminal. */
const SAME_AS_DIRECT: readonly Case[] = [
  { title: 'a simple command', command: 'echo hello' },
  { title: 'no output', command: ':' },
  { title: 'a failure', command: 'false' },
  { title: 'a status', command: '(exit 42)', notIn: ['fish'] },
  { title: 'several lines', command: 'echo one\necho two\necho three' },
  { title: 'a compound command', command: 'echo a; echo b && echo c || echo d | cat' },
  { title: 'a loop over lines', command: 'for i in 1 2 3\ndo\n  echo "n $i"\ndone', notIn: ['fish'] },
  { title: 'a heredoc', command: 'cat <<EOF\nline one\n  $((1+1))\nEOF', notIn: ['fish'] },
  { title: 'a heredoc and more', command: "cat <<'EOF'; echo after\n$x `y`\nEOF\necho end", notIn: ['fish'] },
  { title: 'an exclamation mark', command: 'echo "hello!" \'!!\' ! $!', notIn: ['fish'] },
  { title: 'a negation', command: '! true', notIn: [] },
  { title: 'quotes of every kind', command: `echo "a'b" 'c"d' $'e\\tf' \\g`, notIn: ['fish', 'dash'] },
  { title: 'a comment at the end', command: 'echo hi # a comment' },
  { title: 'blank lines around it', command: '\n\necho hi\n\n' },
  { title: 'a subshell and a pipeline', command: '(echo a; echo b) | sort -r | tr a-z A-Z', notIn: ['fish'] },
  { title: 'error output', command: 'ls /nowhere-at-all; echo "rc $?"', notIn: ['fish'] },
  { title: 'no line break at the end', command: 'printf "no newline"' },
  { title: 'colours', command: String.raw`printf '\033[31mred\033[0m\n'` },
  { title: 'every byte', command: `awk 'BEGIN { for (i = 0; i < 256; i++) printf "%c", i }' | LC_ALL=C cat` },
  { title: 'random bytes', command: 'head -c 70000 seed' },
  { title: 'wide characters', command: "echo 'größe 漢字 😀 e\u0301'" },
  { title: 'a large output', command: 'yes 0123456789012345678901234567890 | head -n 20000' },
]

const SHELLS = [
  { name: 'bash', start: () => ShellUnderTest.start(home, client, { command: ['bash'] }) },
  {
    name: 'zsh',
    start: () => ShellUnderTest.start(home, client, { command: ['zsh'], files: { '.zshrc': '' } }),
  },
  { name: 'fish', start: () => ShellUnderTest.start(home, client, { command: ['fish'] }) },
  { name: 'dash', start: () => ShellUnderTest.start(home, client, { command: ['dash'] }) },
  { name: 'bash-lean', start: () => ShellUnderTest.conversation(home, client, 'lean') },
]

describe.each(SHELLS)('$name', ({ name, start }) => {
  const program = name.replace(/-lean$/, '')
  let shell: ShellUnderTest

  beforeAll(async () => {
    shell = await start()
    const seed = Buffer.alloc(70_000)
    for (let index = 0; index < seed.length; index++) seed[index] = (index * 2_654_435_761) >>> 13
    fs.writeFileSync(path.join(shell.folder, 'seed'), seed)
  })

  const same = SAME_AS_DIRECT.filter(({ notIn = [] }) => !notIn.includes(program))
  test.each(same)('$title is one block like the shell prints it', async ({ command }) => {
    const before = (await shell.blocks()).length
    const ran = await shell.run(command)
    const direct = await runDirectly(home, client, { argv: [program, '-c', command], cwd: shell.folder })
    expect({ output: ran.output, code: ran.code }).toEqual(direct)
    expect(ran.block).toMatchObject({ command, state: 'ended', ended_by: 'shell', cwd: shell.folder })
    expect((await shell.blocks()).length).toBe(before + 1)
  })
})
