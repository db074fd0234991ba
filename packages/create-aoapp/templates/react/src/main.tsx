import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

// What the app keeps: the runtime saves it and brings it back.
export { restore, serialize } from '@aotui/sdk'

createRoot(document.body.appendChild(document.createElement('div'))).render(<App />)
