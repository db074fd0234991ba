/** @jsxImportSource preact */
import { Component, render } from 'preact'

interface Todo {
  id: number
  title: string
  completed: boolean
}
interface State {
  todos: Todo[]
  nowShowing: string
  editing: number | null
  newTodo: string
  editText: string
}

const routeFromHash = () => /#\/(active|completed)/.exec(location.hash)?.[1] ?? 'all'

class App extends Component<object, State> {
  state: State = { todos: [], nowShowing: routeFromHash(), editing: null, newTodo: '', editText: '' }
  nextId = 1

  componentDidMount() {
    addEventListener('hashchange', () => this.setState({ nowShowing: routeFromHash() }))
  }

  change = (change: (todos: Todo[]) => Todo[]) => this.setState({ todos: change(this.state.todos) })

  handleNewTodoKeyDown = (event: KeyboardEvent) => {
    if (event.keyCode !== 13) return
    event.preventDefault()
    const title = this.state.newTodo.trim()
    if (title === '') return
    this.change((todos) => todos.concat({ id: this.nextId++, title, completed: false }))
    this.setState({ newTodo: '' })
  }

  save = (id: number) => {
    const title = this.state.editText.trim()
    this.change((todos) => todos.map((todo) => (todo.id === id ? { ...todo, title } : todo)))
    this.setState({ editing: null })
  }

  renderItem(todo: Todo) {
    const { editing, editText } = this.state
    const { id, title, completed } = todo
    return (
      <li key={id} class={`${completed ? 'completed' : ''} ${editing === id ? 'editing' : ''}`}>
        <div class="view">
          <input
            class="toggle"
            type="checkbox"
            checked={completed}
            onChange={() =>
              this.change((todos) =>
                todos.map((one) => (one.id === id ? { ...one, completed: !completed } : one)),
              )
            }
          />
          <label onDblClick={() => this.setState({ editing: id, editText: title })}>{title}</label>
          <button
            class="destroy"
            onClick={() => this.change((todos) => todos.filter((one) => one.id !== id))}
          />
        </div>
        {editing === id && (
          <input
            class="edit"
            value={editText}
            onInput={(event) => this.setState({ editText: event.currentTarget.value })}
            onKeyDown={(event) => event.keyCode === 13 && this.save(id)}
          />
        )}
      </li>
    )
  }

  render(_: object, { todos, nowShowing, newTodo }: State) {
    const shown = todos.filter(
      (todo) => nowShowing === 'all' || todo.completed === (nowShowing === 'completed'),
    )
    const left = todos.filter((todo) => !todo.completed).length
    return (
      <section class="todoapp">
        <header class="header">
          <h1>todos</h1>
          <input
            class="new-todo"
            placeholder="What needs to be done?"
            value={newTodo}
            onKeyDown={this.handleNewTodoKeyDown}
            onInput={(event) => this.setState({ newTodo: event.currentTarget.value })}
          />
        </header>
        {todos.length > 0 && (
          <section class="main">
            <input
              class="toggle-all"
              type="checkbox"
              checked={left === 0}
              onChange={(event) => {
                const completed = event.currentTarget.checked
                this.change((all) => all.map((todo) => ({ ...todo, completed })))
              }}
            />
            <ul class="todo-list">{shown.map((todo) => this.renderItem(todo))}</ul>
          </section>
        )}
        {todos.length > 0 && (
          <footer class="footer">
            <span class="todo-count">
              <strong>{left}</strong> {left === 1 ? 'item' : 'items'} left
            </span>
            <ul class="filters">
              {['', 'active', 'completed'].map((name) => (
                <li key={name}>
                  <a href={`#/${name}`}>{name === '' ? 'All' : name}</a>
                </li>
              ))}
            </ul>
            {left < todos.length && (
              <button
                class="clear-completed"
                onClick={() => this.change((all) => all.filter((one) => !one.completed))}
              >
                Clear completed
              </button>
            )}
          </footer>
        )}
      </section>
    )
  }
}

render(<App />, document.body)
