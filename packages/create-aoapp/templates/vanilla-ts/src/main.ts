import { listenForOperation, mark, persistent } from '@aotui/sdk'
import { countDone, describe, makeTask, task, type Task } from './tasks.ts'

// What the app keeps: the runtime saves it and brings it back.
export { restore, serialize } from '@aotui/sdk'

const tasks = persistent<Task[]>('tasks', [])

const view = mark(document.body.appendChild(document.createElement('main')), { view: 'Tasks' })
const summary = view.appendChild(document.createElement('p'))
const list = mark(view.appendChild(document.createElement('ul')), task.list('tasks'))

function addButton(label: string, attributes: ReturnType<typeof listenForOperation>): void {
  mark(view.appendChild(document.createElement('button')), attributes).textContent = label
}

addButton(
  'Add a task',
  listenForOperation('add', { text: 'string', 'urgent?': 'boolean' }, ({ text, urgent }) => {
    tasks.update((all) => [...all, makeTask(text, urgent)])
  }),
)
addButton(
  'Finish a task',
  listenForOperation('finish', { task }, ({ task: { id } }) => {
    tasks.update((all) => all.map((one) => (one.id === id ? { ...one, done: true } : one)))
  }),
)
addButton(
  'Remove a task',
  listenForOperation('remove', { task }, ({ task: { id } }) => {
    tasks.update((all) => all.filter((one) => one.id !== id))
  }),
)
addButton(
  'Clear the finished tasks',
  listenForOperation('clear_finished', {}, () => {
    tasks.update((all) => all.filter(({ done }) => !done))
  }),
)

tasks.subscribe((all) => {
  summary.textContent = countDone(all)
  list.replaceChildren(
    ...all.map((one) => {
      const item = mark(document.createElement('li'), task.item(one))
      item.textContent = describe(one)
      return item
    }),
  )
})
