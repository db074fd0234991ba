import { ownTimeout } from './activity.ts'

/** The value of a promise, or the error when it takes longer. The timer never outlives the wait. */
export function withinTime<T>(work: PromiseLike<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = ownTimeout(() => reject(tooLate()), limitMs)
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
