import type { PageDetails, WebPage } from './web-page.ts'

const NO_DETAILS: PageDetails = { scroll: { x: 0, y: 0, width: 0, height: 0 }, focus: null, caret: null }

/** Details that only the page itself can report, with its last report in case it does not answer. */
export class KnownDetails {
  #last: PageDetails = NO_DETAILS
  #reading: Promise<PageDetails> | null = null

  /** Asks the page; with a limit, returns what was known last if the page does not answer in time. */
  async read(page: WebPage, maxWaitMs?: number): Promise<PageDetails> {
    if (maxWaitMs === undefined) return this.#ask(page)
    if (maxWaitMs === 0 || page.dialog !== null) return this.#last
    const asked = this.#ask(page).catch(() => this.#last) // a page that hangs reports so by its events
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<PageDetails>((resolve) => {
      timer = setTimeout(() => resolve(this.#last), maxWaitMs)
    })
    return Promise.race([asked, late]).finally(() => clearTimeout(timer))
  }

  /** One question to the page serves every caller that asks meanwhile. */
  async #ask(page: WebPage): Promise<PageDetails> {
    this.#reading ??= page
      .details()
      .then((details) => (this.#last = details))
      .finally(() => (this.#reading = null))
    return this.#reading
  }
}
