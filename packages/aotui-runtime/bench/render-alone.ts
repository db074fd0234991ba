import { GlobalWindow } from 'happy-dom'
import { start } from './list-app.tsx'

/**
 * The part that no runtime can avoid: the event and the framework's own work, without any transform or channel. It
 * runs in a process of its own, like an app, and tells how long each round took inside it.
 */
const window = new GlobalWindow({ url: 'http://localhost/' })
Object.assign(globalThis, { document: window.document, window })
start(Number(process.argv[2]))
const root = window.document.querySelector('main')

process.on('message', (message: { render: boolean; args: { text: string } }) => {
  if (message.render) void renderOnce(message.args)
  else process.send?.(message)
})

/** Until the framework's own work is in the document: Preact renders in a microtask, others within a turn. */
async function renderOnce(args: { text: string }): Promise<void> {
  const begun = performance.now()
  root?.dispatchEvent(new window.CustomEvent('aotui:operation', { detail: { operation: 'touch', args } }))
  await new Promise((turn) => setImmediate(turn))
  const took = performance.now() - begun
  if (root?.textContent.includes(args.text) !== true) throw new Error('the render is not in the document')
  process.send?.(took)
}
