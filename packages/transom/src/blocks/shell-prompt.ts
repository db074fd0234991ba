import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import type { FactInOutput } from '../log/output-reader.ts'
import type { FactJudge, OutputEnd } from './output-waits.ts'

/**
 * The first prompt at or after a cursor at which the shell was ready for a command: one that a waiting block took
 * does not count. Where nothing was printed between a prompt and what was typed at it, both have the same cursor, and
 * the order of the records decides: the prompt lies before the cursor, then.
 */
export class PromptJudge implements FactJudge {
  readonly words = 'the prompt of the shell'
  readonly types = [EVENT_TYPE_NUMBERS.prompt, EVENT_TYPE_NUMBERS.input, EVENT_TYPE_NUMBERS.block_begin]
  readonly byEnd = false
  readonly #fromCursor: number
  #promptCursor: number | null = null

  constructor(fromCursor: number) {
    this.#fromCursor = fromCursor
  }

  take(fact: FactInOutput): number | null {
    if (this.#promptCursor !== null && fact.cursor > this.#promptCursor) return this.#promptCursor
    if (fact.typeNumber !== EVENT_TYPE_NUMBERS.prompt) this.#promptCursor = null
    else if (fact.cursor >= this.#fromCursor && !fieldsOf(fact).taken) this.#promptCursor ??= fact.cursor
    return null
  }

  atEnd(): number | null {
    return this.#promptCursor
  }
}

/** The end of a block. */
export class BlockEnd implements FactJudge, OutputEnd {
  readonly words = 'the end of the interactive session'
  readonly types = [EVENT_TYPE_NUMBERS.block_end]
  readonly byEnd = true
  readonly blockId: string
  readonly cursor: number | null

  /** `cursor` is where it is, when it has come. */
  constructor(blockId: string, cursor: number | null) {
    this.blockId = blockId
    this.cursor = cursor
  }

  ends(fact: FactInOutput): boolean {
    return fieldsOf(fact).block === this.blockId
  }

  take(fact: FactInOutput): number | null {
    return this.ends(fact) ? fact.cursor : null
  }

  atEnd(): number | null {
    return this.cursor // it may lie before what is looked at: then it was known from the start
  }
}

/** Only we write an Event Log, and only fields that are looked at are trusted. */
function fieldsOf({ payload }: FactInOutput): { block?: unknown; taken?: unknown } {
  return JSON.parse(payload.toString('utf8')) as object
}
