import type { HOUSEKEEPING_OPERATIONS, Result } from '@transom/protocol'
import { fields, printable, shortTime, textTable } from './text-layout.ts'

type Renderers = { readonly [N in keyof typeof HOUSEKEEPING_OPERATIONS]: (result: Result<N>) => string }

/** What a person is shown of housekeeping. Part of the table in render.ts. */
export const HOUSEKEEPING_RENDERERS: Renderers = {
  'session.gc': renderCollection,
  'home.list': ({ homes }) =>
    textTable([
      ['HOME', 'ACTIVE', 'SESSIONS', 'SINCE', ''],
      ...homes.map((home) => [
        printable(home.home),
        String(home.active_sessions),
        String(home.sessions),
        shortTime(home.registered_at),
        printable(home.problem ?? ''),
      ]),
    ]),
  'home.forget': ({ home, forgotten }) =>
    `${printable(home)} ${forgotten ? 'is no longer in' : 'was not in'} the Home Registry`,
  'log.verify': ({ types, first, last, checkpoints, ...report }) =>
    fields({
      ...report,
      types: Object.entries(types)
        .map(([type, count]) => `${type} ${count}`)
        .join(', '),
      first: first === null ? null : `seq ${first.seq}, ${isoTime(first.time)}`,
      last: last === null ? null : `seq ${last.seq}, ${isoTime(last.time)}`,
      checkpoints: `${checkpoints.equal} equal to a replay, ${checkpoints.unusable} not used`,
    }),
  'log.repair': renderRepair,
  'log.export': ({ path }) => printable(path),
}

function renderCollection({ sessions, bytes, dry_run, kept }: Result<'session.gc'>): string {
  const failed = sessions.filter(({ outcome }) => outcome === 'failed').length
  const total = `${sessions.length - failed} sessions ${dry_run ? 'would be ' : ''}removed, ${bytes} bytes${failed > 0 ? `; ${failed} could not be removed` : ''}${kept.length > 0 ? `; ${kept.length} kept for their pinned artifacts` : ''}`
  if (sessions.length === 0) return total
  const rows = sessions.map((session) => [
    session.session,
    printable(session.name ?? '-'),
    session.status ?? '-',
    session.ended_at === null ? '-' : shortTime(session.ended_at),
    String(session.bytes),
    session.problem === null ? session.outcome.replace('_', ' ') : `failed: ${printable(session.problem)}`,
  ])
  return `${textTable([['ID', 'NAME', 'STATUS', 'ENDED', 'BYTES', 'OUTCOME'], ...rows])}\n${total}`
}

function renderRepair({ tail, records, removed_bytes, damaged_copy, dry_run }: Result<'log.repair'>): string {
  if (tail === 'none') return `nothing to repair: all ${records} records can be read`
  const would = dry_run ? 'would be ' : ''
  const copy = damaged_copy === null ? '' : `; the damaged log ${would}kept as ${printable(damaged_copy)}`
  return `${tail}: ${removed_bytes} bytes ${would}removed, ${records} records ${would}kept${copy}`
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}
