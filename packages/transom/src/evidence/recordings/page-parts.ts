/** What the page of a recording looks like. */
export const PAGE_STYLE = `
:root { color-scheme: dark; font: 15px/1.5 system-ui, sans-serif; background: #16181d; color: #d8dce4; }
body { margin: 0; }
header { padding: 1rem 1.5rem 0; }
h1 { font-size: 1.1rem; margin: 0; overflow-wrap: anywhere; }
#facts { margin: 0; color: #98a0ae; font-size: .85rem; }
main { display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 1rem 1.5rem 2rem; align-items: flex-start; }
#player { flex: 1 1 36rem; min-width: 0; }
aside { flex: 0 1 20rem; min-width: 14rem; }
h2 { font-size: .9rem; margin: 1rem 0 .25rem; color: #98a0ae; }
ol { list-style: none; margin: 0; padding: 0; max-height: 40vh; overflow: auto; }
li button { all: unset; cursor: pointer; display: flex; gap: .75rem; width: 100%; box-sizing: border-box; padding: .2rem .5rem; border-radius: .3rem; font-size: .88rem; overflow-wrap: anywhere; }
li button:hover, li button:focus-visible { background: #2a2f3a; }
li.now button { background: #24405f; }
time { color: #7fb2e8; font-variant-numeric: tabular-nums; }
.failed { color: #ff8b7d; }
.note { color: #98a0ae; font-size: .85rem; padding: .2rem .5rem; }
input { width: 100%; box-sizing: border-box; padding: .4rem .6rem; font: inherit; color: inherit; background: #1f232b; border: 1px solid #39404d; border-radius: .4rem; }
`

/**
 * How it works. A page may be opened at a place: #t=SECONDS, #mark=LABEL or #seq=N. `window.recording` lets a script
 * do what a person can.
 */
export const PAGE_SCRIPT = `
'use strict'
const HITS_MAX = 200
const data = JSON.parse(document.getElementById('data').textContent)
const cast = document.getElementById('cast').textContent.trim()
const player = AsciinemaPlayer.create({ data: cast }, document.getElementById('player'), { preload: true, fit: 'width', theme: 'asciinema' })
const clock = (ms) => Math.floor(ms / 60000) + ':' + String(Math.floor(ms / 1000) % 60).padStart(2, '0')
function entry(list, atMs, label, className) {
  const item = list.appendChild(document.createElement('li'))
  const button = item.appendChild(document.createElement('button'))
  button.appendChild(document.createElement('time')).textContent = clock(atMs)
  const text = button.appendChild(document.createElement('span'))
  text.textContent = label
  if (className) text.className = className
  button.addEventListener('click', () => { void go(atMs, item) })
  return item
}
// Just behind the moment: what belongs to it is then on the screen.
async function go(atMs, item) {
  for (const other of document.querySelectorAll('li.now')) other.classList.remove('now')
  if (item) item.classList.add('now')
  await player.pause()
  await player.seek(Math.min(atMs + 1, data.duration_ms) / 1000)
}
const chapters = document.getElementById('chapters')
const items = data.chapters.map((it) => entry(chapters, it.atMs, (it.kind === 'block' ? '$ ' : '') + it.label + (it.exitCode ? ' (exit ' + it.exitCode + ')' : ''), it.exitCode ? 'failed' : ''))
if (items.length === 0) document.getElementById('chapters-title').hidden = true
const hits = document.getElementById('hits')
function note(text) {
  const item = hits.appendChild(document.createElement('li'))
  item.className = 'note'
  item.textContent = text
}
function search(query) {
  hits.replaceChildren()
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return 0
  const found = data.lines.filter(([, text]) => text.toLowerCase().includes(wanted))
  for (const [atMs, text] of found.slice(0, HITS_MAX)) entry(hits, atMs, text)
  if (found.length > HITS_MAX) note((found.length - HITS_MAX) + ' more')
  if (found.length === 0) note('not shown')
  if (data.truncated) note('The recording shows more than this page can search.')
  return found.length
}
document.getElementById('query').addEventListener('input', (event) => search(event.target.value))
document.getElementById('search').addEventListener('submit', (event) => { event.preventDefault(); hits.querySelector('button')?.click() })
async function open() {
  const place = new URLSearchParams(location.hash.slice(1))
  const index = data.chapters.findIndex((it) => (place.has('mark') ? it.label === place.get('mark') : String(it.seq) === place.get('seq')))
  if (place.has('t')) await go(Number(place.get('t')) * 1000)
  else if (index >= 0) await go(data.chapters[index].atMs, items[index])
}
window.addEventListener('hashchange', () => { void open() })
window.recording = { data, player, go, search, chapters: data.chapters }
player.addEventListener('ready', () => { void open() })
`
