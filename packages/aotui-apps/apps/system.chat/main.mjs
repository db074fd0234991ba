const MESSAGES_MAX = 1000 // kept; older ones are dropped
const SHOWN_MAX = 50 // in the view; the newest ones
const TEXT_CHARS_MAX = 20_000 // of one message

/** @type {{ id: number, from: 'person' | 'agent', text: string, time: number }[]} */
let messages = []
let nextId = 0

document.body.innerHTML = `
  <main view="Conversation">
    <ul list="message[]:messages" aria-label="Messages"></ul>
    <button operation="send_message" args='{"content": "string"}'>Answer the person</button>
  </main>`
const root = document.querySelector('main')
const list = document.querySelector('ul')

function add(from, text) {
  if (typeof text !== 'string' || text.trim() === '') throw new Error('a message needs a text')
  if (text.length > TEXT_CHARS_MAX) throw new Error(`a message has at most ${TEXT_CHARS_MAX} characters`)
  const message = { id: nextId++, from, text, time: Date.now() }
  messages.push(message)
  if (messages.length > MESSAGES_MAX) messages.shift()
  show()
  return message
}

function show() {
  list.replaceChildren(...messages.slice(-SHOWN_MAX).map(itemOf))
}

function itemOf({ id, from, text }) {
  const item = document.createElement('li')
  item.setAttribute('key', String(id))
  item.setAttribute('data-value', JSON.stringify({ id }))
  const author = document.createElement('b')
  author.textContent = from === 'agent' ? 'You' : 'Person'
  item.append(author, ': ')
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) item.append(document.createElement('br'))
    item.append(line)
  }
  return item
}

root.addEventListener('aotui:operation', ({ detail }) => {
  if (detail.operation === 'send_message') add('agent', detail.args.content)
})

/** The person's side, for the product. */
aotui.expose('say', ({ text }) => ({ id: add('person', text).id }))
aotui.expose('messages', ({ from = 0 } = {}) => ({
  messages: messages.filter(({ id }) => id >= from),
  next: nextId,
}))

export const serialize = () => ({ messages, nextId })
export const restore = (data) => {
  ;({ messages, nextId } = data)
  show()
}
