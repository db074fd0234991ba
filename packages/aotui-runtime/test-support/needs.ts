import { spawnSync } from 'node:child_process'
import { test, type TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    lacks?: readonly { readonly what: string; readonly debianPackage: string | null }[]
  }
}

/**
 * The `test` to use where bubblewrap must be installed. Without it the test is skipped, and the end of the run says
 * so; with CI=true, where everything is installed, it fails instead.
 */
export function needsBubblewrap(): typeof test {
  if (spawnSync('/bin/sh', ['-c', 'command -v bwrap']).status === 0) return test
  const isCi = process.env['CI'] === 'true'
  const lacks = [{ what: 'bwrap', debianPackage: 'bubblewrap' }]
  const options: TestOptions = isCi ? {} : { skip: true, meta: { lacks } }
  const replaced = (title: string) =>
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- it always throws, under the test's own title
    test(title, options, () => {
      throw new Error('needs bwrap')
    })
  return replaced as typeof test
}
