const THOUGHTS_MAX = 1000 // kept; older ones are dropped
const SHOWN_MAX = 50 // in the view; the newest ones
const TEXT_CHARS_MAX = 20_000 // of one thought

/** @type {{ id: number, text: string, time: number }[]} */
let thoughts = []
let nextId = 0

document.body.innerHTML = `
  <main view="Thoughts">
    <ul list="thought[]:thoughts" aria-label="Thoughts"></ul>
    <button operation="record" args='{"thought": "string"}'>Write a thought down</button>
    <button operation="forget" args='{"thought": "thought"}'>Remove a thought</button>
  </main>`
const root = document.querySelector('main')
const list = document.querySelector('ul')

function show() {
  const items = thoughts.slice(-SHOWN_MAX).map(({ id, text }) => {
    const item = document.createElement('li')
    item.setAttribute('key', String(id))
    item.setAttribute('data-value', JSON.stringify({ id }))
    item.textContent = text
    return item
  })
  list.replaceChildren(...items)
}

function record(text) {
  if (text.trim() === '') throw new Error('a thought needs a text')
  if (text.length > TEXT_CHARS_MAX) throw new Error(`a thought has at most ${TEXT_CHARS_MAX} characters`)
  thoughts.push({ id: nextId++, text, time: Date.now() })
  if (thoughts.length > THOUGHTS_MAX) thoughts.shift()
}

root.addEventListener('aotui:operation', ({ detail: { operation, args } }) => {
  if (operation === 'record') record(args.thought)
  if (operation === 'forget') thoughts = thoughts.filter(({ id }) => id !== args.thought.id)
  show()
})

aotui.expose('thoughts', () => ({ thoughts }))

export const serialize = () => ({ thoughts, nextId })
export const restore = (data) => {
  ;({ thoughts, nextId } = data)
  show()
}
