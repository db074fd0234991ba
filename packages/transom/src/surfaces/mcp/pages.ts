import type { McpTool, Result, Snapshot } from '@transom/protocol'
import { CONTENT_CHARS_DEFAULT, countFitting, shortened } from './answer-budget.ts'
import { compactBlock } from './compact-block.ts'
import { compactList, noCursor } from './compact-list.ts'
import { compact, parseCursor } from './compact-screen.ts'

/** A result that a tool gives in pages: what to ask the host for, and what of its answer a page has. */
export interface Pages {
  readonly params: (cursor: string | null) => object
  readonly page: (result: unknown, cursor: string | null, contentChars: number) => object
}

/** Longer texts of links are whole articles, longer addresses hold data. */
const LINK_TEXT_CHARS_MAX = 200
const LINK_URL_CHARS_MAX = 1000
/** All that `pty.blocks` gives: the blocks before a cursor are found among them. */
const BLOCKS_MAX = 10_000

// Each result is of the operation whose entry in the table names these pages.
export const PAGES: Readonly<Record<NonNullable<McpTool['paged']>, Pages>> = {
  screen: {
    params: (cursor) => {
      if (cursor === null) return {}
      const { seq, scrollback } = parseCursor(cursor)
      return { at_seq: seq, scrollback }
    },
    page: (result, cursor, contentChars) =>
      compact(result as Snapshot, contentChars, cursor === null ? null : parseCursor(cursor)),
  },
  sessions: {
    params: () => ({}),
    page: (result, cursor) => compactList((result as Result<'session.list'>).sessions, cursor),
  },
  links: {
    params: () => ({}),
    page: (result, cursor) => linksAfter((result as Result<'web.links'>).links, numberOf(cursor) ?? 0),
  },
  blocks: {
    params: (cursor) => (cursor === null ? {} : { limit: BLOCKS_MAX }),
    page: (result, cursor) => blocksBefore(result as Result<'pty.blocks'>, numberOf(cursor) ?? Infinity),
  },
}

/** By their place on the page: one that has changed since may give a link twice, or leave one out. */
function linksAfter(links: Result<'web.links'>['links'], start: number): object {
  const rest = links.slice(start).map((link) => ({
    ...link,
    text: shortened(link.text, LINK_TEXT_CHARS_MAX),
    url: shortened(link.url, LINK_URL_CHARS_MAX),
  }))
  const count = countFitting(rest, CONTENT_CHARS_DEFAULT)
  const omitted = rest.length - count
  return {
    links: rest.slice(0, count),
    omitted_links: omitted,
    cursor: omitted === 0 ? null : String(start + count),
  }
}

/** The latest that fit, oldest first. */
function blocksBefore({ blocks, more, ...rest }: Result<'pty.blocks'>, before: number): object {
  const earlier = blocks
    .filter(({ seq }) => seq < before)
    .map((block) => ({ ...compactBlock(block), seq: block.seq }))
  const shown = earlier.slice(-countFitting(earlier.toReversed(), CONTENT_CHARS_DEFAULT))
  const hasMore = more || shown.length < earlier.length
  const oldest = shown[0]
  return {
    ...rest,
    blocks: shown,
    more: hasMore,
    cursor: hasMore && oldest !== undefined ? String(oldest.seq) : null,
  }
}

function numberOf(cursor: string | null): number | null {
  if (cursor === null) return null
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw noCursor(cursor)
}
