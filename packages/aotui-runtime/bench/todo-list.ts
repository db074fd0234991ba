/** A list of N tasks as an ordinary app shows them: what the bench counts tokens of. */
export function startTodos(count: number): void {
  document.body.innerHTML = `<main view="Tasks"><h1>Tasks</h1><p id="left"></p><ul list="task[]:tasks"></ul>
    <form operation="add"><label>Title <input name="title" required></label></form>
    <a href="#/done" operation="show_done">Done</a></main>`
  const list = document.querySelector('ul') as HTMLElement
  const left = document.querySelector('#left') as HTMLElement
  const add = (id: number, title: string, before: Element | null = null) => {
    const item = document.createElement('li')
    item.setAttribute('key', `task-${id}`)
    item.setAttribute('data-value', JSON.stringify({ id }))
    item.innerHTML = `<input type="checkbox" operation="toggle"> <b></b> <span>due in ${(id % 28) + 1} days</span>
      <button operation="delete">Delete</button>`
    ;(item.querySelector('b') as HTMLElement).textContent = title
    list.insertBefore(item, before)
  }
  const showLeft = () => (left.textContent = `${list.querySelectorAll('input:not(:checked)').length} to do`)
  for (let id = 0; id < count; id++) add(id, `${VERBS[id % VERBS.length]} the ${THINGS[id % THINGS.length]}`)
  list.addEventListener('change', showLeft)
  list.addEventListener('click', ({ target }) => {
    if ((target as Element).localName !== 'button') return
    ;(target as Element).closest('li')?.remove()
    showLeft()
  })
  document.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault()
    const field = document.querySelector('input[name]') as HTMLInputElement
    add(list.children.length, field.value, list.children[list.children.length >> 1] ?? null)
    field.value = ''
    showLeft()
  })
  showLeft()
}

const VERBS = ['Water', 'Repair', 'Order', 'Paint', 'Return', 'Sharpen', 'Describe']
const THINGS = [
  'garden',
  'bicycle',
  'spare parts',
  'fence',
  'library books',
  'kitchen knives',
  'new process',
  'boat',
]
