import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
} from '@modelcontextprotocol/server'
import type { Result, SessionInfo, Snapshot } from '@transom/protocol'
import { OpError, type ErrorCode } from '@transom/protocol/errors'
import { CONTENT_CHARS_DEFAULT } from './answer-budget.ts'
import { compact, leftOut, type CompactScreen } from './compact-screen.ts'
import { compactList, newestFirst, noCursor } from './compact-list.ts'
import { fenced } from './fence.ts'
import {
  BLOCKS_URI,
  BLOCK_PAGE_URI,
  BLOCK_URI,
  SCREEN_URI,
  SESSIONS_PAGE_URI,
  SESSIONS_URI,
  blockUri,
} from './resource-uri.ts'
import type { CallingRequest, ToolHost } from './tool-call.ts'

/** A resource is in its answer once: it may have what an answer of a tool has in both of its forms. */
const RESOURCE_CHARS_MAX = CONTENT_CHARS_DEFAULT * 2
const OUTPUT_TOKENS_MAX = 1900 // and the marks around it
const PAGE_BYTES = 7000 // plain text is shorter than what was printed
const BLOCKS_LISTED = 50
const COMMAND_CHARS_MAX = 100
const SCREENS_LISTED = 50 // the newest; `transom://sessions` leads to all of them

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'

/** Sessions, what they show, and the blocks of their shells. `onList` is called when a client lists them. */
export function registerResources(server: McpServer, host: ToolHost, onList: () => void): void {
  registerSessions(server, host, onList)
  registerBlocks(server, host)
}

function registerSessions(server: McpServer, host: ToolHost, onList: () => void): void {
  const listed = async (request: CallingRequest) => {
    const { sessions } = (await host.call('session.list', {}, request)) as { sessions: SessionInfo[] }
    return sessions
  }
  const metadata = { title: 'Sessions', description: 'The active sessions.', mimeType: JSON_TYPE }
  server.registerResource('sessions', SESSIONS_URI, metadata, async (uri, { mcpReq }) =>
    contents(uri, JSON_TYPE, async () => JSON.stringify(compactList(await listed(mcpReq)))),
  )
  server.registerResource(
    'sessions-page',
    new ResourceTemplate(SESSIONS_PAGE_URI, { list: undefined }),
    { ...metadata, description: 'The active sessions that an earlier answer left out.' },
    async (uri, { cursor }, { mcpReq }) =>
      contents(uri, JSON_TYPE, async () =>
        JSON.stringify(compactList(await listed(mcpReq), decoded(cursor))),
      ),
  )
  const list = async () => {
    onList()
    const sessions = await listed({ signal: new AbortController().signal })
    return {
      resources: newestFirst(sessions)
        .slice(0, SCREENS_LISTED)
        .map(({ session, name, command }) => ({
          uri: SCREEN_URI.replace('{session}', session),
          name: name ?? session,
          description: `The screen of ${command.join(' ').slice(0, COMMAND_CHARS_MAX)}`,
          mimeType: TEXT_TYPE,
        })),
    }
  }
  server.registerResource(
    'screen',
    new ResourceTemplate(SCREEN_URI, { list }),
    { title: 'Screen', description: 'What a session shows now.', mimeType: TEXT_TYPE },
    async (uri, { session }, { mcpReq }) =>
      contents(uri, TEXT_TYPE, async () => {
        const snapshot = (await host.call('session.snapshot', { session }, mcpReq)) as Snapshot
        return shownText(compact(snapshot, RESOURCE_CHARS_MAX))
      }),
  )
}

function registerBlocks(server: McpServer, host: ToolHost): void {
  server.registerResource(
    'blocks',
    new ResourceTemplate(BLOCKS_URI, { list: undefined }),
    { title: 'Blocks', description: 'The last commands of a session’s shell.', mimeType: JSON_TYPE },
    async (uri, { session }, { mcpReq }) =>
      contents(uri, JSON_TYPE, async () => {
        const params = { conversation_id: session, limit: BLOCKS_LISTED }
        const { blocks, more } = (await host.call('pty.blocks', params, mcpReq)) as Result<'pty.blocks'>
        return JSON.stringify(blockList(blocks, more))
      }),
  )
  const metadata = { title: 'Block', description: 'What a command of a shell printed.', mimeType: TEXT_TYPE }
  // Before the next one, whose {block} would take the cursor for a part of it.
  server.registerResource(
    'block-page',
    new ResourceTemplate(BLOCK_PAGE_URI, { list: undefined }),
    { ...metadata, description: 'What a block printed, from a cursor on.' },
    async (uri, { session, block, cursor }, { mcpReq }) =>
      contents(uri, TEXT_TYPE, async () => {
        const asked = { conversation_id: session, block: Number(block), from_cursor: pageStart(cursor) }
        const { read, next } = await readPage(host, asked, mcpReq)
        return blockText(read, next)
      }),
  )
  server.registerResource(
    'block',
    new ResourceTemplate(BLOCK_URI, { list: undefined }),
    metadata,
    async (uri, { session, block }, { mcpReq }) =>
      contents(uri, TEXT_TYPE, async () => {
        const asked = { conversation_id: session, block: Number(block), max_tokens: OUTPUT_TOKENS_MAX }
        const read = (await host.call('pty.read', asked, mcpReq)) as Result<'pty.read'>
        return blockText(read, read.omitted?.from_cursor ?? null)
      }),
  )
}

interface PageRequest {
  readonly conversation_id: unknown
  readonly block: number
  readonly from_cursor: number
}

/** One page, cut after a line if possible: a cut within a line may be within a character. */
async function readPage(
  host: ToolHost,
  asked: PageRequest,
  request: CallingRequest,
): Promise<{ read: Result<'pty.read'>; next: number | null }> {
  const read = async (more: object) =>
    (await host.call('pty.read', { ...asked, ...more }, request)) as Result<'pty.read'>
  const all = await read({ raw: true, max_bytes: 1 })
  const end = all.to_cursor
  const limit = asked.from_cursor + PAGE_BYTES
  if (limit >= end) return { read: await read({}), next: null }
  const raw = await read({ raw: true, to_cursor: limit })
  const bytes = Buffer.from(raw.data_b64 ?? '', 'base64')
  const to_cursor = asked.from_cursor + (bytes.lastIndexOf(0x0a) + 1 || characterStart(bytes))
  return { read: await read({ to_cursor }), next: to_cursor }
}

/** Where the last character of a text begins that may have been cut. */
function characterStart(bytes: Buffer): number {
  let start = bytes.length - 1
  while (start > 1 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  return start
}

function shownText(screen: CompactScreen): string {
  return `${fenced(screen.untrusted_output)}${leftOut(screen)}`
}

function blockText({ block, data = '' }: Result<'pty.read'>, next: number | null): string {
  if (block === null) return fenced(data)
  const { seq, session, state, exit_code, output_bytes } = block
  const head = `block ${seq} of session ${session}, ${state}, exit code ${exit_code ?? 'none'}, ${output_bytes} bytes`
  const rest = next === null ? '' : `\nmore: ${blockUri(session, seq)}?cursor=${next}`
  return `${head}\n${fenced(data)}${rest}`
}

/** The latest that fit, oldest first. */
function blockList(blocks: Result<'pty.blocks'>['blocks'], more: boolean): object {
  const lines = blocks.map(({ session, seq, command, state, exit_code, duration_ms, output_bytes }) => ({
    uri: blockUri(session, seq),
    block: seq,
    command: command?.slice(0, COMMAND_CHARS_MAX) ?? null,
    state,
    exit_code,
    duration_ms: duration_ms === null ? null : Math.round(duration_ms),
    output_bytes,
  }))
  let chars = 0
  const kept = lines
    .toReversed()
    .filter((line) => (chars += JSON.stringify(line).length + 1) < RESOURCE_CHARS_MAX)
  return { blocks: kept.toReversed(), more: more || kept.length < lines.length }
}

const NOT_FOUND: ReadonlySet<ErrorCode> = new Set(['session_not_found', 'block_not_found'])

/** What a resource has. A failure has a code of the protocol's: a session that is not there is no fault of the server. */
async function contents(uri: URL, mimeType: string, read: () => Promise<string>) {
  try {
    return { contents: [{ uri: uri.href, mimeType, text: await read() }] }
  } catch (error) {
    if (!(error instanceof OpError) || error.code === 'internal') throw error
    if (NOT_FOUND.has(error.code)) throw new ResourceNotFoundError(uri.href, error.message)
    const data = { uri: uri.href, code: error.code }
    const code = error.row.http < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, error.message, data)
  }
}

function decoded(value: string | string[] | undefined): string {
  return decodeURIComponent(String(value))
}

function pageStart(cursor: string | string[] | undefined): number {
  const text = String(cursor)
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw noCursor(text)
}
