import { createApp } from 'vue'
import App from './App.vue'

// What the app keeps: the runtime saves it and brings it back.
export { restore, serialize } from '@aotui/sdk'

createApp(App).mount(document.body.appendChild(document.createElement('div')))
