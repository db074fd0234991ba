import { createApp, h, onMounted, shallowRef, useTemplateRef } from 'vue'
import {
  ARGS,
  createMessenger,
  type MessengerState,
  type OperationDetail,
} from '../shared/messenger-model.ts'

const messenger = createMessenger()

const Messenger = {
  setup() {
    const state = shallowRef(messenger.get())
    const root = useTemplateRef<HTMLElement>('root')
    messenger.subscribe(() => (state.value = messenger.get()))
    onMounted(() =>
      root.value?.addEventListener('aotui:operation', (event) =>
        messenger.operate((event as CustomEvent<OperationDetail>).detail),
      ),
    )
    return () =>
      h('main', { view: 'Messenger', ref: 'root' }, [
        h('h1', { entity: 'title:conversation_title' }, state.value.title),
        h('p', `${state.value.messages.length} messages`),
        h(
          'ul',
          { list: 'message[]:message_list' },
          state.value.messages.map(({ id, text, read }) =>
            h('li', { key: id, 'data-key': id, 'data-value': JSON.stringify({ id }) }, [
              text,
              read ? h('em', ' read') : null,
              h('button', { operation: 'mark_read' }, 'Mark read'),
              h('button', { operation: 'delete_message' }, 'Delete'),
            ]),
          ),
        ),
        h('button', { operation: 'send_message', args: ARGS.send }, 'Send'),
        h('button', { operation: 'reply', args: ARGS.reply }, 'Reply'),
        h('button', { operation: 'rename', args: ARGS.rename }, 'Rename'),
      ])
  },
}

const container = document.createElement('div')
document.body.appendChild(container)
createApp(Messenger).mount(container)

export const serialize = () => messenger.get()
export const restore = (data: MessengerState) => messenger.set(data)
