import { defineItem } from '@aotui/sdk'

export interface Task {
  id: string
  text: string
  urgent: boolean
  done: boolean
}

/** The items of the list: their keys, and what operations get for a ref to one. */
export const task = defineItem('task', ({ id }: Task) => ({ key: id, value: { id } }))

export function makeTask(text: string, urgent = false): Task {
  return { id: crypto.randomUUID(), text, urgent, done: false }
}

export function describe({ text, urgent, done }: Task): string {
  return `${text}${urgent ? ' (urgent)' : ''}${done ? ' (done)' : ''}`
}

export function countDone(tasks: readonly Task[]): string {
  return `${tasks.filter(({ done }) => done).length} of ${tasks.length} done`
}
