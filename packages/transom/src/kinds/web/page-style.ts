import { CELL_FONT_PARTS } from './cell-font.ts'
import { CELL_HEIGHT_PX } from './web-frame.ts'

/**
 * The script that runs before any of a page's own, in every document: it sets all text in the cell font, also in
 * shadow roots, whose style sheets are their own, and reports the document's title. Adopted style sheets pass any
 * content security policy.
 *
 * The page may see these sheets; it cannot undo the fonts without knowing them, and loses only its own text.
 */
export function styleScript(scale: number): string {
  return `(() => {
    const sheets = { document: new CSSStyleSheet(), shadow: new CSSStyleSheet() }
    sheets.document.replaceSync(${JSON.stringify(cellCss(':is(#_#_#_, body, body *)', scale))})
    sheets.shadow.replaceSync(${JSON.stringify(cellCss(':is(#_#_#_, *)', scale))})
    const adopt = (root, sheet) => {
      if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
    }
    const known = []
    const adoptShadow = (root) => {
      adopt(root, sheets.shadow)
      known.push(new WeakRef(root))
    }
    adopt(document, sheets.document)
    const attachShadow = Element.prototype.attachShadow
    Element.prototype.attachShadow = function (...options) {
      const root = attachShadow.apply(this, options)
      adoptShadow(root)
      return root
    }
    // A page may assign its own list; ours comes back with the next load at the latest.
    const declared = () => {
      adopt(document, sheets.document)
      for (const ref of known) { const root = ref.deref(); if (root) adopt(root, sheets.shadow) }
      const visit = (root) => {
        for (const element of root.querySelectorAll('*')) {
          if (element.shadowRoot) { adopt(element.shadowRoot, sheets.shadow); visit(element.shadowRoot) }
        }
      }
      visit(document)
    }
    addEventListener('DOMContentLoaded', declared)
    addEventListener('load', declared)
    const tellTitle = globalThis[${JSON.stringify(TITLE_BINDING)}]
    delete globalThis[${JSON.stringify(TITLE_BINDING)}] // the page's scripts do not come to see it
    if (tellTitle && globalThis === globalThis.top) {
      addEventListener('DOMContentLoaded', () => {
        let last = null
        const tell = () => {
          if (document.title === last) return
          last = document.title
          tellTitle(last)
        }
        new MutationObserver(tell).observe(document.head, { subtree: true, childList: true, characterData: true })
        tell()
      })
    }
    Object.defineProperty(globalThis, ${JSON.stringify(STYLE_HANDLE)}, { value: (css) => {
      const off = css === null
      for (const [name, sheet] of Object.entries(sheets)) {
        sheet.disabled = off
        if (!off && css[name]) sheet.replaceSync(css[name])
      }
    } })
  })()`
}

/** The function by which a document reports its title: Chromium does not announce a change of it. */
export const TITLE_BINDING = '__transomTitle'

/** The name under which a document holds the function that changes its cell style. */
const STYLE_HANDLE = '__transomCellStyle'

/** An expression that gives a document the style for another scale, or takes it away (null). */
export function restyleExpression(scale: number | null): string {
  const css =
    scale === null
      ? null
      : { document: cellCss(':is(#_#_#_, body, body *)', scale), shadow: cellCss(':is(#_#_#_, *)', scale) }
  return `globalThis[${JSON.stringify(STYLE_HANDLE)}]?.(${JSON.stringify(css)})`
}

const PSEUDO_ELEMENTS = [
  '',
  '::before',
  '::after',
  '::placeholder',
  '::marker',
  '::file-selector-button',
  '::first-line',
  '::first-letter',
]

/** Three ids in the selector, which no element has: more specific than what pages write. */
function cellCss(selector: string, scale: number): string {
  const size = CELL_HEIGHT_PX / scale
  const family = CELL_FONT_PARTS.map((part) => part.family).join(', ')
  const declarations = [
    `font-family: ${family}`,
    `font-size: ${size}px`,
    `line-height: ${size}px`,
    'font-weight: 400',
    'font-style: normal',
    'font-stretch: normal',
    'font-synthesis: none',
    'font-kerning: none',
    'font-variant: normal',
    'font-variant-ligatures: none',
    'font-variant-emoji: text',
    'font-feature-settings: normal',
    'font-size-adjust: none',
    'letter-spacing: 0',
    'word-spacing: 0',
    'text-shadow: none',
    'text-decoration-color: transparent',
    'text-emphasis: none',
    'text-rendering: optimizeSpeed',
    'hyphens: manual',
    'caret-color: transparent',
    '-webkit-text-stroke: 0',
    '-webkit-font-smoothing: none',
  ]
  const body = declarations.map((declaration) => `${declaration} !important`).join('; ')
  const rules = PSEUDO_ELEMENTS.map((pseudo) => `${selector}${pseudo} { ${body} }`)
  // Their shifts would put text between two rows.
  return [...rules, `:is(#_#_#_, sup, sub) { vertical-align: baseline !important }`].join('\n')
}
