/** What every messenger of the test apps does; how it is shown is each framework's own. */
export interface Message {
  id: string
  text: string
  read: boolean
}

export interface MessengerState {
  title: string
  messages: Message[]
  nextId: number
}

export interface OperationDetail {
  operation: string
  args: Record<string, unknown>
  stable_keys?: string[]
}

export function createMessenger() {
  let state: MessengerState = {
    title: 'Project TUI',
    messages: [
      { id: 'msg_101', text: 'Hello', read: false },
      { id: 'msg_102', text: 'World', read: false },
    ],
    nextId: 103,
  }
  const listeners = new Set<() => void>()
  const update = (change: Partial<MessengerState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const add = (text: string) =>
    update({
      messages: [...state.messages, { id: `msg_${state.nextId}`, text, read: false }],
      nextId: state.nextId + 1,
    })
  return {
    get: () => state,
    set: (saved: MessengerState) => update(saved),
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    operate({ operation, args }: OperationDetail): void {
      const target = (args['message'] ?? args['item']) as { id: string } | undefined
      switch (operation) {
        case 'send_message':
          return add(`${String(args['content'])}${args['urgent'] === true ? ' (urgent)' : ''}`)
        case 'reply':
          return add(`@${target?.id}: ${String(args['content'])}`)
        case 'rename':
          return update({ title: String(args['title']) })
        case 'mark_read':
          return update({
            messages: state.messages.map((one) => (one.id === target?.id ? { ...one, read: true } : one)),
          })
        case 'delete_message':
          return update({ messages: state.messages.filter((one) => one.id !== target?.id) })
        default:
          throw new Error(`unknown operation ${operation}`)
      }
    },
  }
}

export const ARGS = {
  send: JSON.stringify({ content: 'string', urgent: 'boolean?' }),
  reply: JSON.stringify({ message: 'message', content: 'string' }),
  rename: JSON.stringify({ title: 'string' }),
}
