import type { OperationName, Result } from '@transom/protocol'
import type { WireError } from '@transom/protocol/errors'
import { EVIDENCE_RENDERERS } from './render-evidence.ts'
import { HOUSEKEEPING_RENDERERS } from './render-housekeeping.ts'
import { WEB_RENDERERS } from './render-web.ts'
import { fields, printable, shortTime, textTable } from './text-layout.ts'

/** What a person is shown of a result: the one thing asked for, and nothing around it. Empty for nothing. */
export function renderResult(operation: string, result: unknown): string {
  const render = Object.hasOwn(RENDERERS, operation) ? RENDERERS[operation as OperationName] : undefined
  // The host has made the result by the same operation's schema.
  return render === undefined ? '' : (render as (result: unknown) => string)(result)
}

/** What a person should know beside the result; printed to standard error. */
export function noticesOf(operation: string, result: unknown): string[] {
  if (operation !== 'session.screenshot') return []
  const { missing_glyphs: missing } = result as Result<'session.screenshot'> // as above
  if (missing === null) return []
  const shown = missing.code_points.slice(0, 5).join(', ')
  const more = missing.code_points.length > 5 ? ` and ${missing.code_points.length - 5} more` : ''
  const advice =
    missing.install.length === 0 ? '' : `; "npm install -g ${missing.install.join(' ')}" has them`
  return [`no glyph for ${shown}${more}: drawn as empty boxes${advice}`]
}

type Renderers = { readonly [N in OperationName]?: (result: Result<N>) => string }

const RENDERERS: Renderers = {
  'session.create': ({ session }) => session,
  'session.list': ({ sessions }) => sessionTable(sessions),
  'session.inspect': ({ command, exit, log, engine, ...info }) =>
    fields({
      ...info,
      ...(engine === null ? {} : { engine: engineWords(engine) }),
      command: command.join(' '),
      exit: exit === null ? null : (exit.signal ?? exit.code),
      log: log.path,
      log_bytes: log.bytes,
    }),
  'session.snapshot': (snapshot) => screenText([...(snapshot.scrollback ?? []), ...snapshot.lines]),
  'session.diff': ({ changed }) =>
    changed.map(({ row, line }) => `${String(row).padStart(3)}  ${printable(line.text)}`).join('\n'),
  'session.wait': ({ match }) => (match === null ? '' : printable(match.line)),
  'session.quota': fields,
  ...WEB_RENDERERS,
  ...EVIDENCE_RENDERERS,
  'pty.exec_interactive': ({ seq }) => `block ${seq}`,
  'session.shell_init': ({ snippet, integrated, shell }) => (integrated ? `${shell} is integrated` : snippet),
  'pty.blocks': ({ blocks }) => blockTable(blocks),
  'pty.read': ({ data, data_b64 }) => (data ?? data_b64 ?? '').replace(/\n$/, ''),
  ...HOUSEKEEPING_RENDERERS,
  'host.status': ({ metrics: { sessions: _kinds, requests, ...metrics }, ...status }) =>
    fields({ ...status, ...metrics, requests: requests.reduce((sum, { count }) => sum + count, 0) }),
  'host.debug': ({ enabled, path }) => (enabled ? path : ''),
}

function engineWords({ live, replay, same }: NonNullable<Result<'session.inspect'>['engine']>): string {
  if (same) return replay
  return `${replay}; shown live by ${live ?? 'an earlier one'}: the screen may differ from what was seen`
}

/** An error for a person: what failed, and the screen that was seen, when there is one. */
export function renderError(error: WireError, program: string): string {
  const { snapshot } = error.details as { snapshot?: Result<'session.snapshot'> }
  const message = `${program}: ${error.message.split('\n').map(printable).join('\n')}`
  if (snapshot === undefined) return message
  return `${message}\n--- screen at seq ${snapshot.seq} ---\n${screenText(snapshot.lines)}\n---`
}

function screenText(lines: readonly { text: string; omitted?: true | undefined }[]): string {
  return lines
    .map(({ text, omitted }) => (omitted ? '[…]' : printable(text)))
    .join('\n')
    .replaceAll(/(?:\[…\]\n)+\[…\]/g, '[…]')
    .replace(/\n+$/, '')
}

function blockTable(blocks: Result<'pty.blocks'>['blocks']): string {
  const rows = blocks.map((block) => [
    String(block.seq),
    block.state === 'ended' ? String(block.exit_code ?? '-') : block.state,
    block.duration_ms === null ? '-' : `${(block.duration_ms / 1000).toFixed(3)}s`,
    String(block.output_bytes),
    printable(block.command ?? '(typed)'),
  ])
  return textTable([['BLOCK', 'EXIT', 'TIME', 'BYTES', 'COMMAND'], ...rows])
}

function sessionTable(sessions: Result<'session.list'>['sessions']): string {
  const rows = sessions.map((info) => [
    info.session,
    info.name ?? '-',
    info.status,
    info.kind,
    `${info.cols}x${info.rows}`,
    shortTime(info.created_at),
    info.url === undefined ? info.command.map(printable).join(' ') : printable(info.url),
  ])
  return textTable([['ID', 'NAME', 'STATUS', 'KIND', 'SIZE', 'CREATED', 'COMMAND'], ...rows])
}
