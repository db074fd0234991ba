import { GlobalWindow } from 'happy-dom'
import type { DomWindow, LiveElement } from '../src/app-process/dom-engine.ts'
import { DocumentWatch } from '../src/app-process/document-watch.ts'
import { composeFragment } from '../src/desktop/compose-fragment.ts'

/** HTML as an agent reads it, without a process or a desktop. */
export function renderHtml(
  html: string,
  { windowSize = 50, prepare = (_document: GlobalWindow['document']): void => undefined } = {},
) {
  const window = new GlobalWindow({ url: 'http://localhost/' })
  const watch = new DocumentWatch(window as unknown as DomWindow, { windowSize, onChange: () => undefined })
  window.document.body.innerHTML = `<main view="V">${html}</main>`
  prepare(window.document)
  watch.flush()
  const [root] = watch.viewElements() as [LiveElement]
  const render = watch.transform.render(root)
  const { body, operations } = composeFragment({ ...render, version: 1 })
  const text = [...body, ...operations]
    .map((piece) => piece.text)
    .join('\n')
    .trim()
  return { text, warnings: render.found.warnings, entities: render.entities, operations: render.operations }
}
