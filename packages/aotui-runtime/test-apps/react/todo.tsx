/** @jsxImportSource react */
import { useState } from 'react'
import { createRoot } from 'react-dom/client'

interface Todo {
  id: number
  title: string
  done: boolean
}

/** Plain React with forms and clicks: it knows nothing of operations but the attributes. */
function Item({ todo, change, remove }: { todo: Todo; change: (todo: Todo) => void; remove: () => void }) {
  const [text, setText] = useState(todo.title)
  return (
    <li data-key={`t${todo.id}`} data-value={JSON.stringify({ id: todo.id })}>
      <input
        type="checkbox"
        operation="toggle"
        checked={todo.done}
        onChange={() => change({ ...todo, done: !todo.done })}
      />{' '}
      {todo.title}
      <form
        operation="edit"
        onSubmit={(event) => {
          event.preventDefault()
          change({ ...todo, title: text })
        }}
      >
        <input name="text" required value={text} onChange={(event) => setText(event.target.value)} />
      </form>
      <button operation="destroy" onClick={remove}>
        Delete
      </button>
    </li>
  )
}

function Todos() {
  const [todos, setTodos] = useState<Todo[]>([])
  const [title, setTitle] = useState('')
  const [filter, setFilter] = useState('all')
  const shown = todos.filter((todo) => filter === 'all' || todo.done === (filter === 'completed'))
  const left = todos.filter((todo) => !todo.done).length
  return (
    <section view="Todos">
      <h1>todos</h1>
      <form
        operation="add"
        onSubmit={(event) => {
          event.preventDefault()
          if (title.trim() === '') return
          setTodos([...todos, { id: (todos.at(-1)?.id ?? 0) + 1, title: title.trim(), done: false }])
          setTitle('')
        }}
      >
        <input name="title" required value={title} onChange={(event) => setTitle(event.target.value)} />
      </form>
      <ul list="todo[]:todos">
        {shown.map((todo) => (
          <Item
            key={`${todo.id} ${todo.title}`}
            todo={todo}
            change={(changed) => setTodos(todos.map((one) => (one.id === todo.id ? changed : one)))}
            remove={() => setTodos(todos.filter((one) => one.id !== todo.id))}
          />
        ))}
      </ul>
      <p>
        {left} left, showing {filter}
      </p>
      {['all', 'active', 'completed'].map((name) => (
        <a key={name} href={`#/${name}`} operation={`show_${name}`} onClick={() => setFilter(name)}>
          {name}
        </a>
      ))}
      {left < todos.length && (
        <button operation="clear_completed" onClick={() => setTodos(todos.filter((todo) => !todo.done))}>
          Clear completed
        </button>
      )}
    </section>
  )
}

const container = document.createElement('div')
document.body.appendChild(container)
createRoot(container).render(<Todos />)
