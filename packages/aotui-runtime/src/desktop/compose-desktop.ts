import { escapeAttribute, escapeInline, escapeLineStart } from '../transform/escape-text.ts'
import type { Fragment } from '../contract/fragment.ts'
import { composeFragment } from './compose-fragment.ts'
import type { Piece } from './shown-piece.ts'
import { INSTRUCTIONS } from './instructions.ts'
import type { LogLine } from './operation-log.ts'

/** All that a snapshot shows, as plain data: composing it is a pure function. */
export interface DesktopContent {
  readonly installed: readonly InstalledApp[]
  readonly log: readonly LogLine[]
  readonly apps: readonly OpenApp[]
}

export interface InstalledApp {
  readonly instance: string
  readonly appId: string
  readonly name: string
  readonly description: string
  readonly status: string
  readonly views: readonly { id: string; name: string; state: 'shown' | 'hidden' | 'not mounted' }[]
}

export interface OpenApp {
  readonly instance: string
  readonly name: string
  readonly status: 'running' | 'collapsed' | 'starting' | 'failed'
  /** What stands in place of views when there are none. */
  readonly hint: string | undefined
  readonly log: readonly LogLine[]
  readonly appLog: readonly LogLine[]
  readonly views: readonly ShownView[]
}

export interface ShownView {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly fragment: Fragment
}

/** A stretch of output that is kept or left out as a whole, with the view that it belongs to. */
export interface Section {
  readonly open: string
  readonly close: string
  readonly viewId?: string
  /** The application that it is part of. */
  readonly app?: string
  readonly isAppStart?: true
  readonly isAppEnd?: true
  /** Lines that are only ever added to. */
  readonly isLog?: true
  readonly pieces: readonly Piece[]
  /** Kept at the end of the section when its pieces do not all fit. */
  readonly last: readonly Piece[]
}

/** Least changing first: instructions, applications, log, then the applications themselves in the order of their ids. */
export function composeSections(content: DesktopContent): Section[] {
  return [
    INSTRUCTIONS_VIEW,
    systemView('view_1', 'Applications', [
      { text: '# Installed Applications\n' },
      ...content.installed.map(installedPiece),
    ]),
    { ...systemView('view_2', 'System Logs', content.log.map(logPiece)), isLog: true },
    ...content.apps.flatMap(appSections),
  ]
}

export function joinSections(sections: readonly Section[]): string {
  const parts = ['<desktop>']
  for (const section of sections) {
    if (section.open !== '') parts.push(section.open)
    for (const piece of section.pieces) parts.push(piece.text)
    for (const piece of section.last) parts.push(piece.text)
    if (section.close !== '') parts.push(section.close)
  }
  parts.push('</desktop>')
  return parts.join('\n')
}

/** How long `joinSections` would be. */
export function joinedChars(sections: readonly Section[]): number {
  let chars = '<desktop>\n</desktop>'.length
  for (const { open, close, pieces, last } of sections) {
    if (open !== '') chars += open.length + 1
    if (close !== '') chars += close.length + 1
    for (const piece of pieces) chars += piece.text.length + 1
    for (const piece of last) chars += piece.text.length + 1
  }
  return chars
}

function systemView(id: string, name: string, pieces: readonly Piece[]): Section {
  return { open: `<view id="${id}" name="${name}">\n`, close: '\n</view>', pieces, last: [] }
}

const installedPieces = new WeakMap<InstalledApp, Piece>()

function installedPiece(app: InstalledApp): Piece {
  let piece = installedPieces.get(app)
  if (piece === undefined) installedPieces.set(app, (piece = writeInstalled(app)))
  return piece
}

function writeInstalled(app: InstalledApp): Piece {
  const about = app.description === '' ? '' : `\n    ${escapeInline(app.description).trim()}`
  const views = app.views
    .filter((view) => view.state !== 'shown')
    .map((view) => `\n    - ${view.id}: ${escapeInline(view.name)} (${view.state})`)
  return {
    text: `- [${escapeInline(app.name).trim()}](application:${app.instance}): ${escapeInline(app.appId)}, ${app.status}${about}${views.join('')}`,
  }
}

const INSTRUCTIONS_VIEW = systemView('view_0', 'System Instructions', [{ text: INSTRUCTIONS }])

/** Of all the lines that a snapshot shows, one or two are new. */
const logPieces = new WeakMap<LogLine, Piece>()

function logPiece(line: LogLine): Piece {
  let piece = logPieces.get(line)
  if (piece === undefined) {
    piece = { text: `${line.number}. ${escapeLineStart(escapeInline(line.text).trim())}` }
    logPieces.set(line, piece)
  }
  return piece
}

function appSections(app: OpenApp): Section[] {
  const status = app.status === 'running' ? '' : ` status="${app.status}"`
  const open = `<application id="${app.instance}" name="${escapeAttribute(app.name)}"${status}>`
  const hint = app.hint === undefined ? [] : [{ text: `(${app.hint})` }]
  const own = { app: app.instance, last: [] }
  return [
    { ...own, open, close: '', isAppStart: true, pieces: [] },
    ...logSection('operation_log', app.instance, app.log),
    ...logSection('app_log', app.instance, app.appLog),
    ...(hint.length === 0 ? [] : [{ ...own, open: '', close: '', pieces: hint }]),
    ...app.views.map((view) => viewSection(view, app.instance)),
    { ...own, open: '', close: '</application>', isAppEnd: true, pieces: [] },
  ]
}

/** Each log has a tag of its own, and its lines can hold no tag: none can speak for another. */
function logSection(tag: 'operation_log' | 'app_log', app: string, log: readonly LogLine[]): Section[] {
  if (log.length === 0) return []
  const tags = { open: `<${tag}>\n`, close: `\n</${tag}>` }
  return [{ ...tags, app, isLog: true, pieces: log.map(logPiece), last: [] }]
}

function viewSection(view: ShownView, app: string): Section {
  const { body, operations } = composeFragment(view.fragment)
  return {
    open: `<view id="${view.id}" name="${escapeAttribute(view.name)}">\n`,
    close: '\n</view>',
    viewId: view.id,
    app,
    pieces: body,
    last: operations,
  }
}
