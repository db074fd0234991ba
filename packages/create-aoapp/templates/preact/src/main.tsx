import { render } from 'preact'
import { App } from './app.tsx'

// What the app keeps: the runtime saves it and brings it back.
export { restore, serialize } from '@aotui/sdk'

render(<App />, document.body)
