/** @jsxImportSource preact */
import { render } from 'preact'
import { useState } from 'preact/hooks'

/** A list of N items of which an operation changes one: what the bench measures. */
export function start(count: number): void {
  function List() {
    const [items, setItems] = useState(() =>
      Array.from({ length: count }, (_, id) => ({ id, text: `Item number ${id}` })),
    )
    const touch = (index: number, text: string) =>
      setItems(items.map((item) => (item.id === index ? { ...item, text } : item)))
    current = touch
    return (
      <main view="List">
        <h1>{count} items</h1>
        <ul list="thing[]:things">
          {items.map(({ id, text }) => (
            <li key={id} data-key={`k${id}`} data-value={JSON.stringify({ id })}>
              <span>{text}</span> <em>of {count}</em>
            </li>
          ))}
        </ul>
        <button operation="touch" args='{"index":"integer","text":"string"}'>
          Touch
        </button>
      </main>
    )
  }
  let current: (index: number, text: string) => void = () => undefined
  render(<List />, document.body)
  document.querySelector('main')?.addEventListener('aotui:operation', (event) => {
    const { index, text } = (event as CustomEvent<{ args: { index: number; text: string } }>).detail.args
    current(index, text)
  })
}
