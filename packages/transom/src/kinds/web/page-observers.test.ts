import { expect, test } from 'vitest'
import { PageObservers } from './page-observers.ts'

test('a caller that lets go twice does not let go for another one', () => {
  const observers = new PageObservers()
  const release = observers.hold()
  release()
  release()
  expect(observers.need).toBe('none')
  observers.hold()
  expect(observers.need).toBe('fast')
})
