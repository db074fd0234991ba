import { z } from 'zod'
import { untrusted } from './untrusted.ts'

/** Why a program waits for input. */
export const inputReason = z.enum([
  'shell_prompt',
  'repl',
  'password',
  'confirm',
  'menu',
  'pager',
  'full_screen',
  'read',
])
export type InputReason = z.infer<typeof inputReason>

export const INPUT_REASON_WORDS: Readonly<Record<InputReason, string>> = {
  shell_prompt: 'a shell is ready for a command',
  repl: 'an interpreter is ready for the next line',
  password: 'a line is read with echo off',
  confirm: 'a question is to be answered with yes or no',
  menu: 'one of several things is to be chosen',
  pager: 'a pager shows a page and waits for a key',
  full_screen: 'a full-screen program waits for a key',
  read: 'the program reads from the terminal',
}

/** Whether the program in front waits for input, and how that is known. */
export const needsInput = z.object({
  verdict: z
    .enum(['needs_input', 'busy', 'unknown'])
    .describe('`unknown` where the system does not show what the program waits for.'),
  reason: inputReason.nullable(),
  prompt: untrusted(z.string()).describe('What stands in front of the cursor.'),
  evidence: z.object({
    program: untrusted(z.string().nullable()).describe('The program in front, as the kernel names it.'),
    pid: z.int().nullable(),
    waits_in: z.string().nullable().describe('The system call it is blocked in.'),
    fd: z.int().nullable().describe('Its descriptor of this terminal that the call waits for.'),
    echo: z.boolean().nullable(),
    canonical: z.boolean().nullable().describe('Whether the terminal collects lines (ICANON).'),
    quiet_ms: z.number().describe('How long nothing has been printed or typed.'),
    note: untrusted(z.string()).describe('What the verdict rests on.'),
  }),
})
export type NeedsInput = z.infer<typeof needsInput>
