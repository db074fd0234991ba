import m from 'mithril'

const model = {
  todos: [],
  nextId: 1,
  editing: null,
  add(title) {
    if (title.trim()) model.todos.push({ id: model.nextId++, title: title.trim(), completed: false })
  },
  save(todo, title) {
    if (model.editing !== todo) return
    model.editing = null
    todo.title = title.trim()
  },
}

const Item = {
  view: ({ attrs: { todo } }) =>
    m(
      'li',
      {
        class: [todo.completed && 'completed', model.editing === todo && 'editing'].filter(Boolean).join(' '),
      },
      [
        m('.view', [
          m('input.toggle[type=checkbox]', {
            checked: todo.completed,
            onclick: () => (todo.completed = !todo.completed),
          }),
          m('label', { ondblclick: () => (model.editing = todo) }, todo.title),
          m('button.destroy', { onclick: () => model.todos.splice(model.todos.indexOf(todo), 1) }),
        ]),
        model.editing === todo &&
          m('input.edit', {
            value: todo.title,
            oncreate: ({ dom }) => dom.focus(),
            onkeypress: (event) => event.keyCode === 13 && model.save(todo, event.target.value),
            onblur: (event) => model.save(todo, event.target.value),
          }),
      ],
    ),
}

const App = {
  view({ attrs: { filter = '' } }) {
    const shown = model.todos.filter((todo) => filter === '' || todo.completed === (filter === 'completed'))
    const left = model.todos.filter((todo) => !todo.completed).length
    return m('section.todoapp', [
      m('header.header', [
        m('h1', 'todos'),
        m('input.new-todo[placeholder="What needs to be done?"]', {
          onkeypress: (event) => {
            if (event.keyCode !== 13) return
            model.add(event.target.value)
            event.target.value = ''
          },
        }),
      ]),
      m('section.main', [
        m('input.toggle-all[type=checkbox]', {
          checked: left === 0,
          onclick: () => model.todos.forEach((todo) => (todo.completed = left > 0)),
        }),
        m(
          'ul.todo-list',
          shown.map((todo) => m(Item, { key: todo.id, todo })),
        ),
      ]),
      m('footer.footer', [
        m('span.todo-count', [m('strong', left), left === 1 ? ' item left' : ' items left']),
        m(
          'ul.filters',
          ['', 'active', 'completed'].map((name) =>
            m('li', m(m.route.Link, { href: `/${name}`, selector: 'a' }, name === '' ? 'All' : name)),
          ),
        ),
        left < model.todos.length &&
          m(
            'button.clear-completed',
            { onclick: () => (model.todos = model.todos.filter((todo) => !todo.completed)) },
            'Clear completed',
          ),
      ]),
    ])
  },
}

m.route.prefix = '#'
m.route(document.body.appendChild(document.createElement('div')), '/', {
  '/': App,
  '/:filter': App,
})
