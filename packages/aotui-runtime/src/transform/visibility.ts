import type { DomElement } from './dom-node.ts'

const NEVER_SHOWN = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'head',
  'link',
  'meta',
  'datalist',
  'option',
  'optgroup',
  'source',
  'track',
  'param',
])

/** Whether an element and all that is in it is left out. There is no layout: only what the markup says counts. */
export function isHidden(element: DomElement): boolean {
  const name = element.localName
  if (NEVER_SHOWN.has(name)) return true
  if (!element.hasAttributes()) return name === 'dialog'
  if (element.hasAttribute('hidden') || element.hasAttribute('inert')) return true
  if (element.getAttribute('aria-hidden') === 'true') return true
  if (name === 'dialog' && !element.hasAttribute('open')) return true
  if (name === 'input' && element.getAttribute('type') === 'hidden') return true
  const style = element.getAttribute('style')
  return (
    style !== null && /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))/i.test(style)
  )
}
