/** A promise that is resolved from outside. */
export class Deferred<T> {
  readonly promise: Promise<T>
  resolve: (value: T) => void = () => {}

  constructor() {
    this.promise = new Promise((resolve) => (this.resolve = resolve))
  }
}
