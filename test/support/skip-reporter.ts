import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { Lack } from './needs.ts'

/** The last line of a test run: what passed, what was skipped for want of what, and how that is installed. */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    process.stdout.write(`\n${lastLine(tests.map(toEnded))}\n`)
  }
}

interface Ended {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  readonly lacks: readonly Lack[]
}

function toEnded(test: TestCase): Ended {
  return { state: test.result().state, lacks: test.meta().lacks ?? [] }
}

export function lastLine(tests: readonly Ended[]): string {
  const count = (state: Ended['state']) => tests.filter((each) => each.state === state).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  const counts = `${passed} passed${failed === 0 ? '' : `, ${failed} failed`}`
  if (skipped === 0) return `${counts}, none skipped`
  const lacks = tests.flatMap((each) => each.lacks)
  const reasons = countEach(lacks.map(({ what }) => what)).map(([what, number]) => `${what} (${number})`)
  const packages = [...new Set(lacks.flatMap(({ debianPackage }) => debianPackage ?? []))].toSorted()
  return [
    `${counts}, ${skipped} skipped`,
    ...(reasons.length === 0 ? [] : [`: for want of ${reasons.join(', ')}`]),
    ...(packages.length === 0
      ? []
      : [`. To run them on Debian: apt-get install --no-install-recommends ${packages.join(' ')}`]),
  ].join('')
}

/** The most frequent first. */
function countEach(names: readonly string[]): [string, number][] {
  const numbers = new Map<string, number>()
  for (const name of names) numbers.set(name, (numbers.get(name) ?? 0) + 1)
  return [...numbers].toSorted(([, a], [, b]) => b - a)
}
