import { describe, expect, it } from 'vitest'
import { renderHtml } from '../../test-support/render-html.ts'

const markdown = (html: string) => renderHtml(html).text

describe('the HTML contract', () => {
  it('gives the Markdown of the spec for the HTML of the spec', () => {
    const html = `<h1 entity="title:conversation_title">Project TUI</h1>
      <ul list="message[]:message_list">
        <li key="msg_101" data-value='{"id": "msg_101"}'>Hello</li>
        <li key="msg_102" data-value='{"id": "msg_102"}'>World</li>
      </ul>
      <button operation="send_message" args='{"content": "string"}'>Send Message</button>`
    expect(markdown(html)).toBe(
      [
        '# [Project TUI](entity:conversation_title)',
        '',
        '# [Message List](list:message_list): message[]',
        '1. [Hello](item:message_list[0])',
        '2. [World](item:message_list[1])',
        '',
        '# Operation',
        '- [SendMessage](operation:send_message)',
        '    - Arguments:',
        '        - content: string',
      ].join('\n'),
    )
  })

  it('shows an item by its first line and the rest below it', () => {
    const html = `<ul list="mail[]:mails"><li key="a"><h3>Subject</h3><p>First line<br>second</p><pre>code &lt;x&gt;</pre></li></ul>`
    expect(markdown(html)).toBe(
      [
        '# [Mails](list:mails): mail[]',
        '1. [Subject](item:mails[0])',
        '    First line',
        '    second',
        '    ```',
        '    code <x>',
        '    ```',
      ].join('\n'),
    )
  })

  it('takes lists and items in any nesting, and tells lists of one name apart', () => {
    const html = `<div list="post[]:posts" aria-label="All posts"><section><article key="p1">One
        <ol list="reply[]:replies"><li key="r1">A</li><li key="r2">B</li></ol></article></section>
      <div><div><article key="p2">Two<ol list="reply[]:replies"><li key="r3">C</li></ol></article></div></div></div>
      <ul><li>plain</li><li>list</li></ul>`
    expect(markdown(html)).toBe(
      [
        '# [All posts](list:posts): post[]',
        '1. [One](item:posts[0])',
        '    [Replies](list:replies): reply[]',
        '    1. [A](item:replies[0])',
        '    2. [B](item:replies[1])',
        '2. [Two](item:posts[1])',
        '    [Replies](list:replies~2): reply[]',
        '    1. [C](item:replies~2[0])',
        '',
        '- plain',
        '- list',
      ].join('\n'),
    )
  })

  it('gives no ref to an item without data, and says why', () => {
    const { text, warnings } = renderHtml(
      `<ul list="t[]:ts"><li>bare</li><li key="k" data-value="{oops">broken</li><li data-value='{"id":1}'>value</li><li key="k2">key</li></ul>`,
    )
    expect(text).toContain('1. bare\n2. broken\n3. [value](item:ts[2])\n4. [key](item:ts[3])')
    expect(warnings).toEqual([
      'list "ts": an item has neither key nor data-value',
      'list "ts": the data-value of item "k" is not JSON',
    ])
    const large = renderHtml(
      `<ul list="t[]:ts"><li key="k" data-value='"${'x'.repeat(70_000)}"'>large</li></ul>`,
    )
    expect(large.warnings[0]).toContain('larger than 64 KB')
  })

  it('lists operations of items once, with the item as an argument', () => {
    const { text, operations } = renderHtml(
      `<ul list="t[]:ts"><li key="a">A <button operation="drop">Drop</button></li><li key="b">B <button operation="drop">Drop</button></li></ul>`,
    )
    expect(text).toContain('- [Drop](operation:drop)\n    - Arguments:\n        - item: item:t in ts')
    expect(operations).toEqual([{ id: 'drop', label: 'Drop', itemType: 't' }])
  })

  it('an operation on the item itself is one of the item', () => {
    expect(
      renderHtml(
        `<ul list="t[]:ts"><li key="a" operation="open">A</li><li key="b" operation="open">B</li></ul>`,
      ).operations,
    ).toEqual([{ id: 'open', label: '', itemType: 't' }])
  })

  it('marks a duplicate operation or entity as ambiguous and says so', () => {
    const { text, operations, entities, warnings } = renderHtml(
      `<button operation="go">A</button><button operation="go">B</button><p entity="a:x">1</p><p entity="a:x">2</p>`,
    )
    expect(operations).toMatchObject([{ id: 'go', ambiguous: true }])
    expect(entities).toMatchObject([{ id: 'x', ambiguous: true }])
    expect(warnings).toEqual(
      ['entity "x" is declared more than once', 'operation "go" is declared more than once']
        .toSorted()
        .toReversed(),
    )
    expect(text).toContain('cannot be used')
  })

  it('leaves out what is not to be seen', () => {
    const hidden = [
      '<p hidden>x</p><p aria-hidden="true">x</p><p inert>x</p><p style="color: red; display: none">x</p>',
      '<p style="visibility:hidden">x</p><script>x</script><style>x</style><template><p>x</p></template>',
      '<noscript>x</noscript><dialog>x</dialog><input type="hidden" value="x"><button>x</button>',
      '<section view="Other">x</section>',
    ]
    expect(markdown(hidden.join(''))).toBe('')
    expect(markdown('<details><summary>More</summary><p>inside</p></details>')).toBe('More (closed)')
    expect(markdown('<details open><summary>More</summary><p>inside</p></details>')).toBe('More\n\ninside')
    expect(markdown('<dialog open>shown</dialog>')).toBe('shown')
  })

  it('shows forms with their values, and hides secrets', () => {
    const html = `<form operation="save"><input name="user" required value="ann"><input name="pass" type="password" value="s3cret">
      <input name="agree" type="checkbox" checked><input name="plan" type="radio" value="a"><input name="plan" type="radio" value="b" checked>
      <select name="color"><option>red</option><option selected>blue</option></select><textarea name="note">hi</textarea>
      <input name="age" type="number" value="5"><input type="file" name="pic"></form>`
    const { text, operations } = renderHtml(html)
    expect(text.split('\n').filter((line) => line.startsWith('- ') && !line.includes('operation:'))).toEqual([
      '- user: text = "ann" (required)',
      '- pass: password = (hidden)',
      '- agree: checkbox [x]',
      '- plan: radio "a" [ ]',
      '- plan: radio "b" [x]',
      '- color: select = "blue" of "red", "blue"',
      '- note: textarea = "hi"',
      '- age: number = "5"',
      '- pic: file = (file)',
    ])
    expect(operations[0]?.args).toMatchObject({
      user: { type: { kind: 'string' }, optional: false },
      agree: { type: { kind: 'boolean' } },
      plan: { type: { kind: 'enum', values: ['a', 'b'] } },
      color: { type: { kind: 'enum', values: ['red', 'blue'] } },
      age: { type: { kind: 'number' } },
    })
  })

  it('shows options, labels and cells as a person sees them', () => {
    const html = `<form operation="save"><label for="t">Title:</label><input id="t" name="title" value="x">
      <label>Your age <input name="age" type="number"></label><label><input type="checkbox" name="agree"> I agree</label>
      <select name="size"><option value="s">Small</option><option value="l" selected>Large one</option></select></form>
      <table><tr><th>Name</th><th>State</th></tr>
      <tr><td><p>Ann</p><p>Lee</p></td><td><input value="open"> <select><option value="1" selected>One</option></select></td></tr></table>`
    const { text, operations } = renderHtml(html)
    expect(text.split('\n').filter((line) => /^[-|]/.test(line))).toEqual([
      '- title: text = "x"',
      '- age (Your age): number = ""',
      '- agree (I agree): checkbox [ ]',
      '- size: select = "Large one" of "Small", "Large one"',
      '| Name | State |',
      '| --- | --- |',
      '| Ann Lee | "open" "One" |',
      '- [Save](operation:save)',
    ])
    expect(text).not.toContain('Title:')
    expect(operations[0]?.args).toMatchObject({ size: { type: { values: ['Small', 'Large one'] } } })
  })

  it('shows code verbatim but for what looks like the desktop itself', () => {
    expect(markdown('<pre>if (a &lt; b &amp;&amp; c[0](d)) return "&lt;p>"</pre>')).toBe(
      '```\nif (a < b && c[0](d)) return "<p>"\n```',
    )
    expect(markdown('<pre>&lt;/view> [x](operation:pay)</pre>')).toBe(
      '```\n&lt;/view> [x]&#40;operation:pay)\n```',
    )
  })

  it('does not double a heading, and says where items of a type are and what takes an entity', () => {
    const html = `<h2>Notes</h2><ul list="note[]:notes"><li key="a">A</li></ul><p entity="title:name">T</p>
      <button operation="move" args='{"note":"note","title":"title","all":"note[]?"}'>Move</button>`
    expect(markdown(html)).toBe(
      [
        '## [Notes](list:notes): note[]',
        '1. [A](item:notes[0])',
        '',
        '[T](entity:name)',
        '',
        '# Operation',
        '- [Move](operation:move)',
        '    - Arguments:',
        '        - note: item:note in notes',
        '        - title: entity:title',
        '        - all: item:note[] in notes (optional)',
      ].join('\n'),
    )
  })

  it('shows tables, code, images, links and emphasis', () => {
    expect(markdown('<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>x|y</td></tr></table>')).toBe(
      '| A | B |\n| --- | --- |\n| 1 | x\\|y |',
    )
    expect(
      markdown('<table><tbody list="row[]:rows"><tr key="r"><td>1</td><td>2</td></tr></tbody></table>'),
    ).toBe('# [Rows](list:rows): row[]\n1. [1; 2](item:rows[0])')
    expect(markdown('<pre><code class="language-js">a ``` b</code></pre>')).toBe('````js\na ``` b\n````')
    expect(
      markdown(
        '<p>See <img alt="a cat"> and <a href="https://x.org/a">this</a>, <b>bold</b> <i>it</i> <code>x`y</code></p>',
      ),
    ).toBe('See ![a cat] and this (https://x.org/a), **bold** *it* ``x`y``')
  })

  it('sees through shadow roots and slots, closed ones too', () => {
    const { text } = renderHtml('<my-card><b slot="side">side</b>body</my-card>', {
      prepare: (document) => {
        const host = document.querySelector('my-card')
        const shadow = host?.attachShadow({ mode: 'closed' })
        if (shadow !== undefined)
          shadow.innerHTML =
            '<h2>Card</h2><slot></slot><slot name="side"></slot><slot name="none">fallback</slot>'
      },
    })
    expect(text).toBe('## Card\n\nbody\n\n**side**\n\nfallback')
  })

  it('shows a window of a long list', () => {
    const items = Array.from({ length: 120 }, (_, index) => `<li key="k${index}">item ${index}</li>`).join('')
    const { text } = renderHtml(`<ul list="t[]:ts">${items}</ul>`)
    expect(text).toContain('50. [item 49](item:ts[49])')
    expect(text).not.toContain('item 50]')
    expect(text).toContain('(items 0 to 49 of 120; `page --list ts --from 50` shows others)')
  })

  it('refuses ids that are not ids', () => {
    const { text, warnings } = renderHtml(
      `<ul list="no type"><li key="a">x</li></ul><p entity="bad">y</p><button operation="a b">z</button><button operation="ok" args="{">w</button>`,
    )
    expect(text).toBe('- x\n\ny')
    expect(warnings).toEqual([
      'list="no type" is not of the form type[]:id',
      'entity="bad" is not of the form type:id',
      'operation="a b" is not an id',
      'operation "ok" is left out: args is not JSON',
    ])
  })
})
