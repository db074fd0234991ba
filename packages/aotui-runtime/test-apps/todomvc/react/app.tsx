/** @jsxImportSource react */
import { useEffect, useReducer, useRef, useState, type KeyboardEvent } from 'react'
import { createRoot } from 'react-dom/client'
import { HashRouter, NavLink, Route, Routes, useParams } from 'react-router'

interface Todo {
  id: number
  title: string
  completed: boolean
}
type Action =
  | { type: 'ADD'; title: string }
  | { type: 'UPDATE'; id: number; title: string }
  | { type: 'TOGGLE'; id: number }
  | { type: 'TOGGLE_ALL'; completed: boolean }
  | { type: 'REMOVE'; id: number }
  | { type: 'CLEAR_COMPLETED' }

let nextId = 1

function reducer(todos: Todo[], action: Action): Todo[] {
  switch (action.type) {
    case 'ADD':
      return [...todos, { id: nextId++, title: action.title, completed: false }]
    case 'UPDATE':
      return todos.map((todo) => (todo.id === action.id ? { ...todo, title: action.title } : todo))
    case 'TOGGLE':
      return todos.map((todo) => (todo.id === action.id ? { ...todo, completed: !todo.completed } : todo))
    case 'TOGGLE_ALL':
      return todos.map((todo) => ({ ...todo, completed: action.completed }))
    case 'REMOVE':
      return todos.filter((todo) => todo.id !== action.id)
    case 'CLEAR_COMPLETED':
      return todos.filter((todo) => !todo.completed)
    default:
      return todos
  }
}

function Item({ todo, dispatch }: { todo: Todo; dispatch: (action: Action) => void }) {
  const [isEditing, setEditing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [isEditing])
  const save = (value: string) => {
    const title = value.trim()
    dispatch(title === '' ? { type: 'REMOVE', id: todo.id } : { type: 'UPDATE', id: todo.id, title })
    setEditing(false)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') save(event.currentTarget.value)
    if (event.key === 'Escape') setEditing(false)
  }
  return (
    <li className={todo.completed ? 'completed' : ''}>
      <div className="view">
        {isEditing ? (
          <input
            ref={input}
            className="edit"
            defaultValue={todo.title}
            onKeyDown={onKeyDown}
            onBlur={() => setEditing(false)}
          />
        ) : (
          <>
            <input
              className="toggle"
              type="checkbox"
              checked={todo.completed}
              onChange={() => dispatch({ type: 'TOGGLE', id: todo.id })}
            />
            <label onDoubleClick={() => setEditing(true)}>{todo.title}</label>
            <button className="destroy" onClick={() => dispatch({ type: 'REMOVE', id: todo.id })} />
          </>
        )}
      </div>
    </li>
  )
}

function Main({ todos, dispatch }: { todos: Todo[]; dispatch: (action: Action) => void }) {
  const { filter } = useParams()
  const shown = todos.filter((todo) => filter === undefined || todo.completed === (filter === 'completed'))
  const active = todos.filter((todo) => !todo.completed).length
  if (todos.length === 0) return null
  return (
    <>
      <main className="main">
        <input
          className="toggle-all"
          type="checkbox"
          checked={active === 0}
          onChange={(event) => dispatch({ type: 'TOGGLE_ALL', completed: event.target.checked })}
        />
        <ul className="todo-list">
          {shown.map((todo) => (
            <Item key={todo.id} todo={todo} dispatch={dispatch} />
          ))}
        </ul>
      </main>
      <footer className="footer">
        <span className="todo-count">{`${active} ${active === 1 ? 'item' : 'items'} left!`}</span>
        <ul className="filters">
          {['', 'active', 'completed'].map((name) => (
            <li key={name}>
              <NavLink to={`/${name}`} className={({ isActive }) => (isActive ? 'selected' : '')} end>
                {name === '' ? 'All' : name}
              </NavLink>
            </li>
          ))}
        </ul>
        {active < todos.length && (
          <button className="clear-completed" onClick={() => dispatch({ type: 'CLEAR_COMPLETED' })}>
            Clear completed
          </button>
        )}
      </footer>
    </>
  )
}

function App() {
  const [todos, dispatch] = useReducer(reducer, [])
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter') return
    const title = event.currentTarget.value.trim()
    if (title.length < 2) return
    dispatch({ type: 'ADD', title })
    event.currentTarget.value = ''
  }
  return (
    <>
      <header className="header">
        <h1>todos</h1>
        <input className="new-todo" placeholder="What needs to be done?" onKeyDown={onKeyDown} />
      </header>
      <Routes>
        <Route path="/:filter?" element={<Main todos={todos} dispatch={dispatch} />} />
      </Routes>
    </>
  )
}

const container = document.createElement('section')
container.className = 'todoapp'
document.body.append(container)
createRoot(container).render(
  <HashRouter>
    <App />
  </HashRouter>,
)
