import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeTempDir } from '../../aotui-runtime/test-support/app-folder.ts'
import type { Output } from '../src/output.ts'

const NOTES = `
document.body.innerHTML = '<main view="Notes"><ul list="note[]:notes"></ul><button operation="add" args=\\'{"text": "string"}\\'>Add</button></main>'
let notes = []
function show() {
  document.querySelector('ul').replaceChildren(...notes.map((text, index) => {
    const item = document.createElement('li')
    item.setAttribute('key', 'n' + index)
    item.textContent = text
    return item
  }))
}
document.querySelector('main').addEventListener('aotui:operation', ({ detail }) => {
  if (detail.args.text === 'boom') throw new Error('boom')
  notes.push(detail.args.text)
  show()
})
export const serialize = () => notes
export const restore = (data) => { notes = data; show() }
`

/** The folder of an app that needs no build; files given by name replace or add to it. */
export function makeProject(files: Readonly<Record<string, string>> = {}): string {
  const dir = makeTempDir()
  const manifest = {
    id: 'com.example.notes',
    name: 'Notes',
    description: 'Keeps notes',
    version: '1.0.0',
    entry: 'main.mjs',
  }
  const all = { 'aoapp.json': JSON.stringify(manifest), 'main.mjs': NOTES, ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

/** Keeps what a command writes. */
export function keepOutput(): Output & { readonly lines: string[]; readonly results: object[] } {
  const lines: string[] = []
  const results: object[] = []
  return {
    lines,
    results,
    line: (text) => void lines.push(text),
    developerLine: ({ level, text, at }) => void lines.push(`${level}: ${text} at ${at}`),
    result: (value) => void results.push(value),
  }
}
