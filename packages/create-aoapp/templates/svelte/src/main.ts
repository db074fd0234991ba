import { mount } from 'svelte'
import App from './App.svelte'

// What the app keeps: the runtime saves it and brings it back.
export { restore, serialize } from '@aotui/sdk'

mount(App, { target: document.body })
