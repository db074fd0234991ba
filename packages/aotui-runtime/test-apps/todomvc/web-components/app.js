/** Plain custom elements, each with a closed world of its own: templates, shadow roots and events. */
const appTemplate = document.createElement('template')
appTemplate.innerHTML = `
  <section class="todoapp">
    <header class="header"><h1>todos</h1><input class="new-todo" placeholder="What needs to be done?"></header>
    <section class="main"><input class="toggle-all" type="checkbox"><ul class="todo-list"></ul></section>
    <footer class="footer">
      <span class="todo-count"></span>
      <ul class="filters">
        <li><a href="#/">All</a></li><li><a href="#/active">Active</a></li><li><a href="#/completed">Completed</a></li>
      </ul>
      <button class="clear-completed">Clear completed</button>
    </footer>
  </section>`

const itemTemplate = document.createElement('template')
itemTemplate.innerHTML = `
  <div class="view"><input class="toggle" type="checkbox"><label></label><button class="destroy"></button></div>
  <input class="edit" hidden>`

class TodoItem extends HTMLElement {
  static observedAttributes = ['data-title', 'data-completed']

  constructor() {
    super()
    this.attachShadow({ mode: 'open' }).append(itemTemplate.content.cloneNode(true))
    this.find('.toggle').addEventListener('change', () => this.tell('toggle'))
    this.find('.destroy').addEventListener('click', () => this.tell('destroy'))
    this.find('label').addEventListener('dblclick', () => {
      const edit = this.find('.edit')
      edit.hidden = false
      edit.value = this.dataset.title
      edit.focus()
    })
    this.find('.edit').addEventListener('keydown', (event) => {
      if (event.key === 'Enter') event.target.blur()
    })
    this.find('.edit').addEventListener('blur', ({ target }) => {
      target.hidden = true
      this.tell('edit', target.value.trim())
    })
  }

  find(selector) {
    return this.shadowRoot.querySelector(selector)
  }

  tell(change, title) {
    this.dispatchEvent(
      new CustomEvent('todo', {
        detail: { change, id: this.dataset.id, title },
        bubbles: true,
        composed: true,
      }),
    )
  }

  attributeChangedCallback() {
    this.find('label').textContent = this.dataset.title
    this.find('.toggle').checked = this.hasAttribute('data-completed')
  }
}

class TodoApp extends HTMLElement {
  todos = []
  nextId = 1

  constructor() {
    super()
    this.attachShadow({ mode: 'open' }).append(appTemplate.content.cloneNode(true))
  }

  connectedCallback() {
    const find = (selector) => this.shadowRoot.querySelector(selector)
    find('.new-todo').addEventListener('keypress', ({ key, target }) => {
      const title = target.value.trim()
      if (key !== 'Enter' || title === '') return
      target.value = ''
      this.update([...this.todos, { id: String(this.nextId++), title, completed: false }])
    })
    find('.toggle-all').addEventListener('change', ({ target }) =>
      this.update(this.todos.map((todo) => ({ ...todo, completed: target.checked }))),
    )
    find('.clear-completed').addEventListener('click', () =>
      this.update(this.todos.filter((todo) => !todo.completed)),
    )
    this.shadowRoot.addEventListener('todo', ({ detail: { change, id, title } }) => {
      if (change === 'destroy') return this.update(this.todos.filter((todo) => todo.id !== id))
      const changed = (todo) =>
        change === 'toggle' ? { ...todo, completed: !todo.completed } : { ...todo, title }
      this.update(this.todos.map((todo) => (todo.id === id ? changed(todo) : todo)))
    })
    window.addEventListener('hashchange', () => this.update(this.todos))
    this.update([])
  }

  update(todos) {
    this.todos = todos
    const filter = location.hash.slice(2)
    const shown = todos.filter((todo) => filter === '' || todo.completed === (filter === 'completed'))
    const left = todos.filter((todo) => !todo.completed).length
    const list = this.shadowRoot.querySelector('.todo-list')
    const before = new Map([...list.children].map((item) => [item.dataset.id, item]))
    list.replaceChildren(
      ...shown.map(({ id, title, completed }) => {
        const item = before.get(id) ?? document.createElement('todo-item')
        item.dataset.id = id
        item.dataset.title = title
        item.toggleAttribute('data-completed', completed)
        return item
      }),
    )
    this.shadowRoot.querySelector('.todo-count').textContent = `${left} ${left === 1 ? 'item' : 'items'} left`
    this.shadowRoot.querySelector('.clear-completed').hidden = left === todos.length
    this.shadowRoot.querySelector('.toggle-all').checked = left === 0
  }
}

customElements.define('todo-item', TodoItem)
customElements.define('todo-app', TodoApp)
document.body.append(document.createElement('todo-app'))
