import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { needsThat } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

/** As a share of the start: a host that keeps its buffers and its young generation has 1.6 times as much. */
const NEAR = 1.25

needsThat(fs.existsSync('/proc/self/smaps_rollup'), '/proc')(
  'the memory of a host returns to near its start after a flood',
  { timeout: 90_000 },
  async () => {
    await using home = new TestHome()
    await home.ok('create', '--name', 'idle', '--', 'cat')
    const { pid } = home.host()
    const start = rssOf(pid)
    await home.ok('create', '--name', 'flood', '--', 'sh', '-c', 'seq 1 8000000; exec cat')
    await home.ok('wait', 'flood', '--regex', '(?m)^8000000$', '--timeout', '60s')
    await home.ok('destroy', 'flood')
    const later = await until('the memory is returned', () => {
      const rss = rssOf(pid)
      return rss <= start * NEAR && rss
    })
    expect(later).toBeLessThanOrEqual(start * NEAR)
  },
)

test('a host holds its program at one byte a character: it is ASCII', () => {
  const bytes = fs.readFileSync(CLI.replace('cli.cjs', 'host.mjs'))
  expect(bytes.every((byte) => byte < 0x80)).toBe(true)
})

function rssOf(pid: number): number {
  return Number(/^Rss:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
}
