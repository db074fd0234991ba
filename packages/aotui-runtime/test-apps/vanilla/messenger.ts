import {
  ARGS,
  createMessenger,
  type MessengerState,
  type OperationDetail,
} from '../shared/messenger-model.ts'

const messenger = createMessenger()
const main = document.createElement('main')
main.setAttribute('view', 'Messenger')
main.innerHTML = `
  <h1 entity="title:conversation_title"></h1>
  <p class="count"></p>
  <ul list="message[]:message_list"></ul>
  <button operation="send_message">Send</button>
  <button operation="reply">Reply</button>
  <button operation="rename">Rename</button>`
document.body.appendChild(main)

const find = (selector: string) => main.querySelector(selector) as HTMLElement
find('[operation=send_message]').setAttribute('args', ARGS.send)
find('[operation=reply]').setAttribute('args', ARGS.reply)
find('[operation=rename]').setAttribute('args', ARGS.rename)

function render(): void {
  const { title, messages } = messenger.get()
  find('h1').textContent = title
  find('.count').textContent = `${messages.length} messages`
  find('ul').replaceChildren(
    ...messages.map(({ id, text, read }) => {
      const item = document.createElement('li')
      item.setAttribute('key', id)
      item.setAttribute('data-value', JSON.stringify({ id }))
      item.innerHTML = `<span></span>${read ? ' <em>read</em>' : ''}
        <button operation="mark_read">Mark read</button><button operation="delete_message">Delete</button>`
      const [span] = item.children
      if (span !== undefined) span.textContent = text
      return item
    }),
  )
}

messenger.subscribe(render)
main.addEventListener('aotui:operation', (event) =>
  messenger.operate((event as CustomEvent<OperationDetail>).detail),
)
render()

export const serialize = () => messenger.get()
export const restore = (data: MessengerState) => messenger.set(data)
