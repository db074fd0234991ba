import { OpError } from './errors.ts'

/** What a message of JSON may cost, beside its length. Counted in its text, before anything is made of it. */
export interface JsonLimits {
  /** Lists and objects within each other. */
  readonly depthMax: number
  /** Entries of one list or object. */
  readonly entriesMax: number
  /** Entries of all of them. */
  readonly valuesMax: number
}

/** For what callers send. A step of a batch in a batch of requests is eight deep; `_meta` of MCP may have more. */
export const REQUEST_LIMITS: JsonLimits = {
  depthMax: 64,
  entriesMax: 20_000, // the arguments of a program; no operation takes a longer list
  valuesMax: 50_000, // arguments, variables and a batch of requests; takes about 20 ms to parse and check
}

/** For a host, whose clients put what they were sent into a request of their own, and MCP adds the environment. */
export const PASSED_ON_LIMITS: JsonLimits = {
  depthMax: REQUEST_LIMITS.depthMax + 8,
  entriesMax: REQUEST_LIMITS.entriesMax,
  valuesMax: 2 * REQUEST_LIMITS.valuesMax,
}

/** Parses JSON. Throws `parse_error`, and `frame_too_large` for what is not within the limits, before it is parsed. */
export function parseJson(text: string, limits?: JsonLimits): unknown {
  if (limits !== undefined) checkJson(text, limits)
  try {
    return JSON.parse(text)
  } catch {
    throw new OpError('parse_error', 'this message is not JSON in UTF-8')
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Throws `frame_too_large` for a text that is not within the limits. In one that is not JSON it counts something, and
 * JSON.parse() says the rest.
 */
export function checkJson(text: string, { depthMax, entriesMax, valuesMax }: JsonLimits): void {
  const entries = new Uint32Array(depthMax + 1) // of the lists and objects that are open, by their depth
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > depthMax) throw tooLarge(`is nested more than ${depthMax} deep`)
        entries[depth] = 1
        if (++values > valuesMax) throw tooLarge(`has more than ${valuesMax} values`)
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth > 0) depth--
        break
      case COMMA:
        entries[depth] = (entries[depth] ?? 0) + 1
        if ((entries[depth] ?? 0) > entriesMax)
          throw tooLarge(`has a list or an object with more than ${entriesMax} entries`)
        if (++values > valuesMax) throw tooLarge(`has more than ${valuesMax} values`)
        break
      default:
    }
  }
}

/** The closing quote of the string that begins at `start`; the end of the text if it has none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((quote - before) % 2 === 1) return quote // an even number of backslashes
  }
  return text.length
}

function tooLarge(why: string): OpError {
  return new OpError('frame_too_large', `this message ${why}; split it`)
}
