import { EVENT_TYPE_NUMBERS, webNavigationEvent, type CreatedEvent } from '@transom/protocol'
import { factOf } from '../../log/facts.ts'
import type { LogRecord } from '../../log/record.ts'
import type { Capability } from '../../session/capabilities.ts'
import type { KindView, TextExport } from '../../session/kind.ts'
import { WebProjection } from './web-projection.ts'

/** What a web session is, from its log alone. */
export const WEB_VIEW = {
  name: 'web',
  words: 'a web page',
  capabilities: new Set<Capability>(['page']),
  shows: 'web_frame',
  project: ({ cols, rows }: CreatedEvent) => new WebProjection(cols, rows),
  restore: (_created: CreatedEvent, checkpoint: Uint8Array) => WebProjection.restore(checkpoint),
  exportText: (created: CreatedEvent) => pageText(created),
} satisfies KindView

/** What a web page showed when it was left, under its address, page by page. */
function pageText({ cols, rows }: CreatedEvent): TextExport {
  const screen = new WebProjection(cols, rows)
  const shown = () => {
    const { text } = screen.canonical()
    return text === '' ? [] : [Buffer.from(`${screen.page().url}\n${text}\n\n`)]
  }
  const isLeft = (record: LogRecord) =>
    record.typeNumber === EVENT_TYPE_NUMBERS.web_navigation &&
    factOf(record, webNavigationEvent).url !== screen.page().url
  return {
    take: (record) => {
      const left = isLeft(record) ? shown() : []
      screen.apply(record)
      return left
    },
    end: shown,
  }
}
