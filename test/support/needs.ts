import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/**
 * The `test` to use where a program must be installed. Without it the test is skipped, with the reason printed;
 * in CI, which installs everything, it fails instead.
 */
export function needs(...programs: string[]): typeof test {
  const missing = programs.filter((program) => !isInstalled(program))
  if (missing.length === 0) return test
  const reason = `needs ${missing.join(', ')}: install the Debian package of that name`
  if (process.env['CI'] === 'true') return failing(reason)
  console.warn(`skipped: ${reason}`)
  return test.skip as typeof test
}

/** As needs(), for what cannot be looked up as a program: root, a kernel feature. */
export function needsThat(holds: boolean, what: string): typeof test {
  if (holds) return test
  if (process.env['CI'] === 'true') return failing(`needs ${what}`)
  console.warn(`skipped: needs ${what}`)
  return test.skip as typeof test
}

function isInstalled(program: string): boolean {
  return spawnSync('/bin/sh', ['-c', `command -v "$1"`, 'sh', program]).status === 0
}

function failing(reason: string): typeof test {
  const fail = (title: string) =>
    test(title, () => {
      expect.fail(reason)
    })
  return fail as typeof test
}
