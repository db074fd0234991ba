import type { PageView } from '@transom/protocol'
import type { PageDialog, PageLink } from './web-page.ts'

/** Controls, and marks that change the direction of what follows: in a page's own words they only mislead. */
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, ' ').trim()
}

export function dialogFields(dialog: PageDialog | null): PageView['dialog'] {
  if (dialog === null) return null
  return {
    type: dialog.type,
    message: safeText(dialog.message),
    default_prompt: safeText(dialog.defaultPrompt),
  }
}

/** The links of a page as they cross a wire. */
export function linkRows(
  links: readonly PageLink[],
): { text: string; url: string; row: number | null; col: number | null }[] {
  return links.map(({ text, url, cell }) => ({
    text: safeText(text),
    url,
    row: cell?.row ?? null,
    col: cell?.col ?? null,
  }))
}
