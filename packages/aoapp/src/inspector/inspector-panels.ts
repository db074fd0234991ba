import type { DeveloperLine } from '@aotui/runtime'
import { lineDiff } from '../line-diff.ts'
import type { DesktopPicture, InspectedApp } from './inspector-source.ts'

/** A line of a panel; its tone says how it is drawn. */
export interface PanelLine {
  readonly text: string
  readonly tone?: 'added' | 'removed' | 'warning' | 'error' | 'heading' | 'quiet'
}

const ENTRIES_MAX = 2000 // of each log; an inspector is left open for days

const CONTEXT_LINES = 2

/** What is known of a desktop, and how each panel shows it. */
export class InspectorRecord {
  #pictures: { before: string; now: string } = { before: '', now: '' }
  #apps: readonly InspectedApp[] = []
  readonly #log: PanelLine[] = []
  readonly #console: PanelLine[] = []
  readonly #denied: string[] = []
  readonly #commandMs: number[] = []
  readonly #operations = new Set<string>()

  addPicture({ markup, apps }: DesktopPicture, time: number): void {
    for (const app of apps) {
      const before = this.#apps.find(({ instance }) => instance === app.instance)
      if (before?.status !== app.status) this.addEvent(`${app.instance} (${app.name}) is ${app.status}`, time)
    }
    this.#apps = apps
    if (markup === this.#pictures.now) return
    // The desktop logs an operation after what it changed: the two are one change.
    const { before, now } = this.#pictures
    this.#pictures = { before: withoutLogs(markup) === withoutLogs(now) ? before : now, now: markup }
    this.#addOperations(markup, time)
  }

  addEvent(text: string, time: number, tone?: PanelLine['tone']): void {
    push(this.#log, { text: `${clock(time)} ${text}`, ...(tone === undefined ? {} : { tone }) })
  }

  addCommand(command: string, ms: number, failure: string | undefined, time: number): void {
    this.#commandMs.push(ms)
    if (this.#commandMs.length > ENTRIES_MAX) this.#commandMs.shift()
    const result = failure === undefined ? 'done' : failure
    this.addEvent(
      `command (${ms.toFixed(1)} ms) ${command}: ${result}`,
      time,
      failure === undefined ? undefined : 'error',
    )
  }

  addDeveloperLine({ time, app, level, text, at }: DeveloperLine): void {
    const [, permission] = /^E_PERMISSION: (.+) was refused$/.exec(text) ?? []
    if (permission !== undefined) this.#denied.push(`${app} ${permission}`)
    if (this.#denied.length > ENTRIES_MAX) this.#denied.shift()
    const place = at === undefined ? '' : ` (${at})`
    for (const [index, line] of `${text}${place}`.split('\n').entries())
      push(this.#console, {
        text: index === 0 ? `${clock(time)} ${app} ${level}: ${line}` : `    ${line}`,
        ...(level === 'info' ? {} : { tone: level }),
      })
  }

  markdown(): PanelLine[] {
    return this.#pictures.now
      .split('\n')
      .map((text) => (/^#|^<\/?\w/.test(text) ? { text, tone: 'heading' } : { text }))
  }

  /** What the last change changed, with a little around it. */
  changes(): PanelLine[] {
    const lines = lineDiff(this.#pictures.before, this.#pictures.now)
    const isChange = (line: string | undefined) => line !== undefined && !line.startsWith('  ')
    const shown: PanelLine[] = []
    for (const [index, line] of lines.entries()) {
      if (isChange(line)) shown.push({ text: line, tone: line.startsWith('+') ? 'added' : 'removed' })
      else if (lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(isChange))
        shown.push({ text: line, tone: 'quiet' })
      else if (shown.at(-1)?.text !== '…') shown.push({ text: '…', tone: 'quiet' })
    }
    return shown
  }

  log(): readonly PanelLine[] {
    return this.#log
  }

  console(): readonly PanelLine[] {
    return this.#console
  }

  processes(): PanelLine[] {
    const lines = this.#apps.flatMap(
      ({ instance, appId, status, tier, process, permissions, error }): PanelLine[] => [
        {
          text: `${instance} ${appId}: ${status}, ${tier} tier`,
          tone: error === undefined ? 'heading' : 'error',
        },
        ...(error === undefined ? [] : [{ text: `  ${error.message}`, tone: 'error' as const }]),
        ...(process === undefined
          ? []
          : [
              {
                text: `  process ${process.pid}, started ${clock(process.startedAt)}, ready after ${process.readyMs} ms, start ${process.count}`,
              },
            ]),
        { text: `  permissions asked for: ${permissions.join(', ') || 'none'}` },
        ...this.#denied
          .filter((one) => one.startsWith(`${instance} `))
          .map((one): PanelLine => ({
            text: `  denied: ${one.slice(instance.length + 1)}`,
            tone: 'warning',
          })),
      ],
    )
    return [...lines, { text: '' }, { text: this.#timings() }]
  }

  #timings(): string {
    const sorted = this.#commandMs.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
    if (sorted.length === 0) return 'no command has run from here'
    const [median, slowest] = [at(0.5).toFixed(1), at(1).toFixed(1)]
    return `${sorted.length} commands from here: median ${median} ms, slowest ${slowest} ms`
  }

  /** The desktop's own logs of operations: agents that hold the input write there too. */
  #addOperations(markup: string, time: number): void {
    for (const [, app = '', body = ''] of markup.matchAll(OPERATION_LOG)) {
      for (const [line] of body.matchAll(/^\d+\. .*$/gm)) {
        const entry = `${app} ${line}`
        if (this.#operations.has(entry)) continue
        this.#operations.add(entry)
        this.addEvent(`operation ${entry}`, time)
      }
    }
    if (this.#operations.size <= ENTRIES_MAX) return
    for (const entry of [...this.#operations].slice(0, ENTRIES_MAX / 2)) this.#operations.delete(entry)
  }
}

const OPERATION_LOG = /<application id="([^"]*)"[^>]*>\n<operation_log>\n([\s\S]*?)<\/operation_log>/g

function withoutLogs(markup: string): string {
  return markup.replaceAll(/<operation_log>\n[\s\S]*?<\/operation_log>\n/g, '')
}

function push(lines: PanelLine[], line: PanelLine): void {
  lines.push(line)
  if (lines.length > ENTRIES_MAX) lines.shift()
}

function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}
