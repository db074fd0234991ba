import type { KeyPress } from '../../terminal/key-names.ts'
import type { WebFrame } from './web-frame.ts'

/** What the page shows beside its cells. */
export interface PageState {
  readonly url: string
  readonly title: string
  readonly loading: boolean
  readonly canGoBack: boolean
  readonly canGoForward: boolean
}

export interface PageDetails {
  /** In CSS pixels. */
  readonly scroll: { readonly x: number; readonly y: number; readonly height: number; readonly width: number }
  /** What has the focus, when something has. */
  readonly focus: FocusedElement | null
  /** The cell of the text caret, when one is shown. */
  readonly caret: Cell | null
}

export interface FocusedElement {
  readonly tag: string
  readonly type: string
  readonly name: string
  readonly cell: Cell | null
}

export interface Cell {
  readonly row: number
  readonly col: number
}

export interface PageLink {
  readonly text: string
  readonly url: string
  /** Where it is on the screen; null while it is scrolled away or hidden. */
  readonly cell: Cell | null
}

export interface PageDialog {
  readonly type: 'alert' | 'confirm' | 'prompt' | 'beforeunload'
  readonly message: string
  readonly defaultPrompt: string
}

export interface MouseButtonOptions {
  readonly button?: 'left' | 'middle' | 'right' | undefined
  readonly clicks?: number | undefined
  readonly modifiers?: MouseModifiers | undefined
}

export interface MouseModifiers {
  readonly alt?: boolean | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
  readonly shift?: boolean | undefined
}

export interface PageEvents {
  /** The cells may have changed. */
  frame(frame: WebFrame): void
  /** Address, title, loading or history have changed. */
  state(state: PageState): void
  dialog(dialog: PageDialog | null): void
  /** No request is open any more. */
  networkIdle(): void
  /** The page hung or its process ended, and what was done about it. */
  trouble(error: Error): void
  /** The browser has ended and could not be restarted, as `trouble` has reported. Nothing more can be done. */
  lost(error: Error): void
}

/**
 * A web page as cells: what a web Session's operations are made of. Whatever waits
 * takes a signal, and ends with a clear error when the page hangs; `frame` and `state` are memory and never wait.
 */
export interface WebPage {
  /**
   * The last frame that was decoded; null before the first. It may be older than what is shown if no caller has
   * looked, waited, acted or observed frames for a while.
   */
  readonly frame: WebFrame | null
  readonly state: PageState
  readonly dialog: PageDialog | null

  /** Resolves when the page has loaded. The caller has checked the address. */
  navigate(url: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<void>
  /** False if there is no such page in the history. */
  goBack(): Promise<boolean>
  goForward(): Promise<boolean>
  reload(): Promise<void>
  setViewport(cols: number, rows: number): Promise<void>
  /** Percent: 100 shows a CSS pixel as one pixel of an 8 × 16 cell. */
  setZoom(percent: number): Promise<void>

  press(keys: readonly KeyPress[]): Promise<void>
  /** Key by key, as a keyboard would. */
  typeText(text: string): Promise<void>
  /** All at once, as from a clipboard. */
  paste(text: string): Promise<void>

  click(cell: Cell, options?: MouseButtonOptions): Promise<void>
  mouseMove(cell: Cell, options?: MouseButtonOptions): Promise<void>
  mouseDown(cell: Cell, options?: MouseButtonOptions): Promise<void>
  mouseUp(cell: Cell, options?: MouseButtonOptions): Promise<void>
  drag(from: Cell, to: Cell, options?: MouseButtonOptions): Promise<void>
  /** Rows down, or up when negative; at a cell, or in the middle of the screen. */
  scroll(rows: number, at?: Cell): Promise<void>

  /** The frame that is shown now: the last one where that is current, else a new one. */
  look(): Promise<WebFrame | null>
  /** As `state`, but asked of the browser now: it also answers while the page hangs. */
  readState(): Promise<PageState>
  /** The links of the page, also of what is scrolled away, and of its iframes. */
  links(): Promise<PageLink[]>
  details(): Promise<PageDetails>
  answerDialog(accept: boolean, promptText?: string): Promise<void>
  /** What Chromium paints with the page's own fonts, as PNG. */
  screenshot(options?: { fullPage?: boolean }): Promise<Buffer>

  /** For how long no request has been open; null while one is. */
  readonly networkIdleForMs: number | null

  /** Frames come at the full rate until the returned function is called. */
  hold(): () => void
  observe(events: Partial<PageEvents>): () => void
  close(): Promise<void>
}
