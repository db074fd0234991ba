import { html, LitElement, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'

class TodoItem extends LitElement {
  static properties = { todo: { attribute: false }, isEditing: { state: true } }

  tell(type, detail = {}) {
    this.dispatchEvent(
      new CustomEvent(type, { detail: { id: this.todo.id, ...detail }, bubbles: true, composed: true }),
    )
  }

  finish({ target }) {
    if (!this.isEditing) return
    this.isEditing = false
    this.tell('todo-edit', { title: target.value.trim() })
  }

  updated() {
    if (this.isEditing) this.renderRoot.querySelector('.edit').focus()
  }

  render() {
    const { title, completed } = this.todo
    return html`<div class="view">
        <input
          class="toggle"
          type="checkbox"
          .checked=${completed}
          @change=${() => this.tell('todo-toggle')}
        />
        <label @dblclick=${() => (this.isEditing = true)}>${title}</label>
        <button class="destroy" @click=${() => this.tell('todo-destroy')}></button>
      </div>
      ${
        this.isEditing
          ? html`<input
              class="edit"
              .value=${title}
              @blur=${(event) => this.finish(event)}
              @keyup=${(event) => event.key === 'Enter' && this.finish(event)}
            />`
          : nothing
      }`
  }
}
customElements.define('todo-item', TodoItem)

class TodoApp extends LitElement {
  static properties = { todos: { state: true }, filter: { state: true } }

  constructor() {
    super()
    this.todos = []
    this.filter = 'all'
    this.nextId = 1
    this.addEventListener('todo-toggle', ({ detail: { id } }) =>
      this.change(id, (todo) => ({ ...todo, completed: !todo.completed })),
    )
    this.addEventListener('todo-edit', ({ detail: { id, title } }) =>
      this.change(id, (todo) => ({ ...todo, title })),
    )
    this.addEventListener('todo-destroy', ({ detail: { id } }) => {
      this.todos = this.todos.filter((todo) => todo.id !== id)
    })
  }

  connectedCallback() {
    super.connectedCallback()
    window.addEventListener('hashchange', this.route)
    this.route()
  }

  disconnectedCallback() {
    window.removeEventListener('hashchange', this.route)
    super.disconnectedCallback()
  }

  route = () => {
    this.filter = location.hash.slice(2) || 'all'
  }

  change(id, change) {
    this.todos = this.todos.map((todo) => (todo.id === id ? change(todo) : todo))
  }

  add(event) {
    const title = event.target.value.trim()
    if (event.key !== 'Enter' || title === '') return
    this.todos = [...this.todos, { id: this.nextId++, title, completed: false }]
    event.target.value = ''
  }

  render() {
    const { todos, filter } = this
    const shown = todos.filter((todo) => filter === 'all' || todo.completed === (filter === 'completed'))
    const left = todos.filter((todo) => !todo.completed).length
    return html`<section class="todoapp">
      <header class="header">
        <h1>todos</h1>
        <input class="new-todo" placeholder="What needs to be done?" @keydown=${(event) => this.add(event)} />
      </header>
      <section class="main">
        <input
          class="toggle-all"
          type="checkbox"
          .checked=${left === 0}
          @change=${({ target }) => (this.todos = todos.map((todo) => ({ ...todo, completed: target.checked })))}
        />
        <div class="todo-list">
          ${repeat(
            shown,
            (todo) => todo.id,
            (todo) => html`<todo-item .todo=${todo}></todo-item>`,
          )}
        </div>
      </section>
      <footer class="footer">
        <span class="todo-count"><strong>${left}</strong> ${left === 1 ? 'item' : 'items'} left</span>
        <ul class="filters">
          <li><a href="#/">All</a></li>
          <li><a href="#/active">Active</a></li>
          <li><a href="#/completed">Completed</a></li>
        </ul>
        ${
          left < todos.length
            ? html`<button
                class="clear-completed"
                @click=${() => (this.todos = todos.filter((todo) => !todo.completed))}
              >
                Clear completed
              </button>`
            : nothing
        }
      </footer>
    </section>`
  }
}
customElements.define('todo-app', TodoApp)
document.body.append(document.createElement('todo-app'))
