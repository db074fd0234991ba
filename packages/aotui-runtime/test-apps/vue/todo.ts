import { computed, createApp, h, ref } from 'vue'

interface Todo {
  id: number
  title: string
  done: boolean
}

/** Plain Vue with forms and clicks: it knows nothing of operations but the attributes. */
const Todos = {
  setup() {
    const todos = ref<Todo[]>([])
    const filter = ref('all')
    const shown = computed(() =>
      todos.value.filter((todo) => filter.value === 'all' || todo.done === (filter.value === 'completed')),
    )
    const left = computed(() => todos.value.filter((todo) => !todo.done).length)
    const fieldOf = (event: Event) =>
      (event.target as HTMLFormElement).querySelector('input') as HTMLInputElement
    const add = (event: Event) => {
      event.preventDefault()
      const field = fieldOf(event)
      if (field.value.trim() === '') return
      todos.value.push({ id: (todos.value.at(-1)?.id ?? 0) + 1, title: field.value.trim(), done: false })
      field.value = ''
    }
    const edit = (todo: Todo, event: Event) => {
      event.preventDefault()
      todo.title = fieldOf(event).value
    }
    const item = (todo: Todo) =>
      h('li', { key: todo.id, 'data-key': `t${todo.id}`, 'data-value': JSON.stringify({ id: todo.id }) }, [
        h('input', {
          type: 'checkbox',
          operation: 'toggle',
          checked: todo.done,
          onChange: () => (todo.done = !todo.done),
        }),
        ` ${todo.title} `,
        h('form', { operation: 'edit', onSubmit: (event: Event) => edit(todo, event) }, [
          h('input', { name: 'text', required: true, value: todo.title }),
        ]),
        h(
          'button',
          { operation: 'destroy', onClick: () => (todos.value = todos.value.filter((one) => one !== todo)) },
          'Delete',
        ),
      ])
    return () =>
      h('section', { view: 'Todos' }, [
        h('h1', 'todos'),
        h('form', { operation: 'add', onSubmit: add }, [h('input', { name: 'title', required: true })]),
        h('ul', { list: 'todo[]:todos' }, shown.value.map(item)),
        h('p', `${left.value} left, showing ${filter.value}`),
        ...['all', 'active', 'completed'].map((name) =>
          h(
            'a',
            { href: `#/${name}`, operation: `show_${name}`, onClick: () => (filter.value = name) },
            name,
          ),
        ),
        left.value < todos.value.length
          ? h(
              'button',
              {
                operation: 'clear_completed',
                onClick: () => (todos.value = todos.value.filter((todo) => !todo.done)),
              },
              'Clear completed',
            )
          : null,
      ])
  },
}

const container = document.createElement('div')
document.body.appendChild(container)
createApp(Todos).mount(container)
