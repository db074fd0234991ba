import { useOperation, usePersistentState } from '@aotui/sdk/react'
import { countDone, describe, makeTask, task, type Task } from './tasks.ts'

export function App() {
  const [tasks, setTasks] = usePersistentState<Task[]>('tasks', [])
  const add = useOperation('add', { text: 'string', 'urgent?': 'boolean' }, ({ text, urgent }) => {
    setTasks([...tasks, makeTask(text, urgent)])
  })
  const finish = useOperation('finish', { task }, ({ task: { id } }) => {
    setTasks(tasks.map((one) => (one.id === id ? { ...one, done: true } : one)))
  })
  const remove = useOperation('remove', { task }, ({ task: { id } }) => {
    setTasks(tasks.filter((one) => one.id !== id))
  })
  const clear = useOperation('clear_finished', {}, () => {
    setTasks(tasks.filter(({ done }) => !done))
  })
  return (
    <main view="Tasks">
      <p>{countDone(tasks)}</p>
      <ul {...task.list('tasks')}>
        {tasks.map((one) => (
          <li key={one.id} {...task.item(one)}>
            {describe(one)}
          </li>
        ))}
      </ul>
      <button {...add}>Add a task</button>
      <button {...finish}>Finish a task</button>
      <button {...remove}>Remove a task</button>
      <button {...clear}>Clear the finished tasks</button>
    </main>
  )
}
