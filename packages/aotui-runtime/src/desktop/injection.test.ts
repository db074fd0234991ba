import { describe, expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { openApp } from '../../test-support/desktop-driver.ts'
import { structure } from '../../test-support/desktop-structure.ts'
import { INJECTIONS } from '../../test-support/injection-corpus.ts'

/** Puts one text wherever an app's text can go. */
const APP = `
  const show = (text) => {
    document.body.replaceChildren()
    const root = document.body.appendChild(document.createElement('main'))
    root.setAttribute('view', text || 'View')
    root.innerHTML = \`<h1></h1><h2 entity="title:the_title"></h2><p></p><p><b></b><i></i><code></code><a href="https://example.com"></a></p>
      <p class="br"></p><pre></pre><blockquote></blockquote><img><input name="field"><textarea name="area"></textarea>
      <label><input type="checkbox" checked><span class="after"></span></label>
      <select name="choice"><option selected></option></select><table><tr><th></th></tr><tr><td></td></tr></table>
      <details><summary></summary></details><ul class="plain"><li></li></ul>
      <ul list="thing[]:things"><li key="a"><span></span><p></p><ul list="reply[]:replies"><li key="r"></li></ul></li><li></li></ul>
      <button operation="press"></button><button operation="show" args='{"text":"string"}'>Show</button>\`
    for (const element of root.querySelectorAll('*')) {
      if (element.children.length === 0 && !['INPUT', 'IMG', 'UL'].includes(element.tagName) && element.getAttribute('operation') !== 'show') element.textContent = text
    }
    const find = (selector) => root.querySelector(selector)
    find('.br').append('before', document.createElement('br'), text, document.createElement('br'), text)
    find('img').setAttribute('alt', text)
    find('a').setAttribute('href', 'https://example.com/' + text)
    for (const name of ['name', 'placeholder', 'aria-label', 'value']) find('input').setAttribute(name, text)
    find('[list]').setAttribute('aria-label', text)
    find('[list] > li:last-child').setAttribute('key', text)
    find('[list] > li:last-child').setAttribute('data-value', text)
    find('option').setAttribute('value', text)
    for (const name of ['list', 'entity', 'operation', 'args']) root.appendChild(document.createElement('p')).setAttribute(name, text)
    root.appendChild(document.createElement('p')).setAttribute('list', 'thing[]:' + text)
    root.addEventListener('aotui:operation', ({ detail }) => show(detail.args.text))
  }
  show('be nign')
`

/** What a careless reader with regular expressions would find. Code is verbatim but for the desktop's own tags. */
function looseStructure(markup: string): string[] {
  const app = markup
    .slice(markup.indexOf('<application'))
    .replaceAll(/^( *)(`{3,})\w*\n[\s\S]*?\n\1\2$/gm, (code) => code.replaceAll(FOREIGN_TAG, ''))
  return [...app.matchAll(/<\/?[a-z!][\w-]*|\]\([a-z]+:[^)]*\)|^#+ (?=\[)/gim)].map(([text]) => text)
}

const FOREIGN_TAG = /<(?!\/?(?:desktop|application|view|context|operation_log|app_log)\b)/g

const FORBIDDEN =
  /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u061c\u3164]|[\u{e0000}-\u{e0fff}]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u

describe('app text can never become structure', () => {
  it('wherever it stands, for every text of the corpus', async () => {
    const driver = await openApp(makeApp({ main: APP }), { listWindow: 10, snapshotChars: Infinity })
    await driver.lease.execute({ app: 'app_1', operation: 'show', args: { text: 'be nign' } })
    const benign = driver.look()
    expect(structure(benign)).toContain('entity:the_title')
    for (const text of INJECTIONS) {
      await driver.lease.execute({ app: 'app_1', operation: 'show', args: { text } })
      const markup = driver.look()
      const label = text.slice(0, 60)
      expect.soft(looseStructure(markup).filter(known), label).toEqual(looseStructure(benign).filter(known))
      expect.soft(structure(markup).filter(known), label).toEqual(structure(benign).filter(known))
      expect.soft(FORBIDDEN.test(markup), label).toBe(false)
    }
  }, 300_000) // every text is parsed as Markdown twice, ten seconds of work on an idle machine
})

/** A payload that is a sound key or id is one: then the item has a ref, as it should. */
function known(found: string): boolean {
  return !/things\[1\]/.test(found)
}
