import { expect, test } from 'vitest'
import { StreamSlots } from './stream-slots.ts'
import type { Grant } from './token-store.ts'

const grant = (id: string): Grant => ({
  kind: 'token',
  id,
  name: id,
  scope: 'read',
  sessions: null,
  created_at: '',
})
const take = (slots: StreamSlots, id: string) => slots.take({ grant: grant(id), close: () => {} })

test('one token does not take the streams of all others', () => {
  const slots = new StreamSlots({ streamsMax: 5, streamsPerTokenMax: 3 })
  const [first] = [take(slots, 'a'), take(slots, 'a'), take(slots, 'a')]
  expect(() => take(slots, 'a')).toThrow('3 streams with this token are open; close one')
  take(slots, 'b')
  first?.release()
  take(slots, 'a')
  take(slots, 'b')
  expect(() => take(slots, 'c')).toThrow('5 streams are open; close one, or ask again later')
})
