import { OpError } from '@transom/protocol/errors'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds. With its unit: what a bare number means is too easily guessed wrong where something is removed. */
export function readDuration(name: string, text: string): number {
  const duration = /^(\d+)(ms|s|m|h|d)$/.exec(text)
  if (duration === null) {
    const message = `${name} needs a duration with its unit, such as 7d, 12h, 30m, 90s or 500ms (got ${JSON.stringify(text)})`
    throw new OpError('usage', message, { option: name, value: text })
  }
  return Number(duration[1]) * (UNIT_MS[duration[2] ?? ''] ?? 0)
}
