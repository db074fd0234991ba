import type { AgentParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { parseKeys, type KeyPress } from '../../../terminal/key-names.ts'

/** The presses of a `send_key`: `Char` with its character, or any key by its name. */
export function agentKeys({ key, char, modifiers }: AgentParams<'send_key'>): KeyPress[] {
  const isCharacter = key === 'Char'
  if (isCharacter && (char === undefined || char === '')) {
    throw new OpError('invalid_key', 'the key "Char" needs its character in "char"', { key })
  }
  let presses: KeyPress[]
  try {
    presses = parseKeys([isCharacter && char !== undefined ? char : key])
  } catch (error) {
    if (!(error instanceof OpError)) throw error
    throw new OpError('invalid_key', error.message, error.details, { cause: error })
  }
  return presses.map((press) => ({
    ...press,
    alt: press.alt || (modifiers?.alt ?? false),
    ctrl: press.ctrl || (modifiers?.ctrl ?? false),
    shift: press.shift || (modifiers?.shift ?? false),
    super: press.super || (modifiers?.meta ?? false),
  }))
}
