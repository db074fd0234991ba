/** @jsxImportSource react */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import {
  ARGS,
  createMessenger,
  type MessengerState,
  type OperationDetail,
} from '../shared/messenger-model.ts'

const messenger = createMessenger()

function Messenger() {
  const { title, messages } = useSyncExternalStore(messenger.subscribe, messenger.get)
  const root = useRef<HTMLElement>(null)
  useEffect(() => {
    const onOperation = (event: Event) => messenger.operate((event as CustomEvent<OperationDetail>).detail)
    root.current?.addEventListener('aotui:operation', onOperation)
    return () => root.current?.removeEventListener('aotui:operation', onOperation)
  }, [])
  return (
    <main view="Messenger" ref={root}>
      <h1 entity="title:conversation_title">{title}</h1>
      <p>{messages.length} messages</p>
      <ul list="message[]:message_list">
        {messages.map(({ id, text, read }) => (
          <li key={id} data-key={id} data-value={JSON.stringify({ id })}>
            {text} {read && <em>read</em>}
            <button operation="mark_read">Mark read</button>
            <button operation="delete_message">Delete</button>
          </li>
        ))}
      </ul>
      <button operation="send_message" args={ARGS.send}>
        Send
      </button>
      <button operation="reply" args={ARGS.reply}>
        Reply
      </button>
      <button operation="rename" args={ARGS.rename}>
        Rename
      </button>
    </main>
  )
}

const container = document.createElement('div')
document.body.appendChild(container)
createRoot(container).render(<Messenger />)

export const serialize = () => messenger.get()
export const restore = (data: MessengerState) => messenger.set(data)
