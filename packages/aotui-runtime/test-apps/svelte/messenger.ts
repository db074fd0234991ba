import { mount } from 'svelte'
import { ARGS, createMessenger, type MessengerState } from '../shared/messenger-model.ts'
import Messenger from './Messenger.svelte'

const messenger = createMessenger()
mount(Messenger, { target: document.body, props: { messenger, args: ARGS } })

export const serialize = () => messenger.get()
export const restore = (data: MessengerState) => messenger.set(data)
