import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import type { FactInOutput } from '../log/output-reader.ts'
import type { FactJudge } from './output-waits.ts'

/**
 * The first prompt at or behind a cursor. Where nothing was printed between a prompt and what was typed at it, both
 * have the same cursor, and the order of the records decides: a prompt that something was typed at right away, as a
 * block that had been waiting for it is, does not count. What counts is that the shell is ready for a command.
 */
export class PromptJudge implements FactJudge {
  readonly words = 'the prompt of the shell'
  readonly types = [EVENT_TYPE_NUMBERS.prompt, EVENT_TYPE_NUMBERS.input, EVENT_TYPE_NUMBERS.block_begin]
  readonly byEnd = false
  readonly #fromCursor: number
  #prompt: FactInOutput | null = null

  constructor(fromCursor: number) {
    this.#fromCursor = fromCursor
  }

  take(fact: FactInOutput): FactInOutput | null {
    if (this.#prompt !== null && fact.cursor > this.#prompt.cursor) return this.#prompt
    if (fact.typeNumber !== EVENT_TYPE_NUMBERS.prompt) this.#prompt = null
    else if (fact.cursor >= this.#fromCursor) this.#prompt ??= fact
    return null
  }

  atEnd(): FactInOutput | null {
    return this.#prompt
  }
}

/** The end of a block. */
export class BlockEndJudge implements FactJudge {
  readonly words = 'the end of the interactive session'
  readonly types = [EVENT_TYPE_NUMBERS.block_end]
  readonly byEnd = true
  readonly #blockId: string

  constructor(blockId: string) {
    this.#blockId = blockId
  }

  ends(fact: FactInOutput): boolean {
    const { block } = JSON.parse(fact.payload.toString('utf8')) as { block?: unknown } // of our own writing
    return block === this.#blockId
  }

  take(fact: FactInOutput): FactInOutput | null {
    return this.ends(fact) ? fact : null
  }

  atEnd(): null {
    return null
  }
}
