import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

/**
 * The `test` to use where a program must be installed. Without it the test is skipped, with the reason printed; in
 * CI, which installs everything, it fails instead.
 */
export function needs(program: string): typeof test {
  if (spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0) return test
  const reason = `needs ${program}`
  if (process.env['CI'] !== 'true') {
    console.warn(`skipped: ${reason}`)
    return test.skip as typeof test
  }
  const fail = (title: string) =>
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- it always throws, under the test's own title
    test(title, () => {
      throw new Error(reason)
    })
  return fail as typeof test
}
