import { spawnSync } from 'node:child_process'
import { expect, inject, test, type TestOptions } from 'vitest'
import { findChromium } from '../../packages/transom/src/kinds/web/chromium-location.ts'

/** What a skipped test lacks, and the package of Debian that has it. */
export interface Lack {
  readonly what: string
  readonly debianPackage: string | null
}

declare module 'vitest' {
  interface TaskMeta {
    lacks?: readonly Lack[]
  }
  interface ProvidedContext {
    /** Why no browser could be fetched, if none was found and none could be. */
    noBrowser: string | null
  }
}

/** Where a package is not named like the program. */
const DEBIAN_PACKAGES: Readonly<Record<string, string>> = {
  'apt-get': 'apt',
  bwrap: 'bubblewrap',
  'dpkg-deb': 'dpkg',
  ffprobe: 'ffmpeg',
  script: 'bsdutils',
  setpriv: 'util-linux',
  ssh: 'openssh-client',
  'ssh-keygen': 'openssh-client',
  sshd: 'openssh-server',
}

/**
 * The `test` to use where programs must be installed. Without them the test is skipped, and the end of the run says
 * for want of what; with CI=true, where everything is installed, it fails instead.
 */
export function needs(...programs: string[]): typeof test {
  return unlessLacking(missing(programs))
}

/** As needs(), for a Chromium that the product finds, and programs. */
export function needsBrowser(...programs: string[]): typeof test {
  return unlessLacking([...missingBrowser(), ...missing(programs)])
}

/** As needs(), for what cannot be looked up as a program: root, a kernel feature. */
export function needsThat(holds: boolean, what: string): typeof test {
  return unlessLacking(holds ? [] : [{ what, debianPackage: null }])
}

/** As needs(), for the npm registry. */
export function needsRegistry(): typeof test {
  const asked = spawnSync('npm', ['view', 'vite', 'version', '--fetch-retries=0', '--fetch-timeout=10000'])
  return needsThat(asked.status === 0, 'the npm registry')
}

function missing(programs: readonly string[]): Lack[] {
  return programs
    .filter((program) => spawnSync('/bin/sh', ['-c', `command -v "$1"`, 'sh', program]).status !== 0)
    .map((program) => ({ what: program, debianPackage: DEBIAN_PACKAGES[program] ?? program }))
}

function missingBrowser(): Lack[] {
  try {
    findChromium(process.env)
    return []
  } catch {
    const reason = inject('noBrowser')
    const what = reason === null ? 'a browser' : `a browser (${reason})`
    return [{ what, debianPackage: 'chromium-headless-shell' }]
  }
}

function unlessLacking(lacks: readonly Lack[]): typeof test {
  if (lacks.length === 0) return test
  if (process.env['CI'] !== 'true') return replaced({ skip: true, meta: { lacks } }, () => {})
  return replaced({}, () => expect.fail(`needs ${lacks.map(({ what }) => what).join(', ')}`))
}

type Declare = (title: string, options: TestOptions, body: () => void) => void

/** A `test` whose tests have these options in addition, and another body. */
function replaced(options: TestOptions, body: () => void): typeof test {
  const wrap =
    (declare: Declare) =>
    (title: string, ...rest: readonly unknown[]) => {
      const own = rest.find((each) => typeof each === 'object')
      declare(title, { ...(own as TestOptions | undefined), ...options }, body)
    }
  // Only these of test's forms are used.
  return Object.assign(wrap(test), {
    each: (cases: readonly unknown[]) => wrap(test.each(cases)),
    for: (cases: readonly unknown[]) => wrap(test.for(cases)),
  }) as unknown as typeof test
}
