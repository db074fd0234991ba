import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { desktopTags, nestingProblems } from '../../test-support/desktop-structure.ts'
import { encodeCase, hostileCase, type HostileCase } from '../../test-support/hostile-messages.ts'
import { ATTACK_FROM_FILE, checkNeighbour, openHostile, setAttack } from '../../test-support/hostile-app.ts'
import { needsBubblewrap } from '../../test-support/needs.ts'
import { decodeFromApp } from '../contract/app-message-schema.ts'
import { serialize } from '../index.ts'

/**
 * The plain run takes a slice, TRANSOM_FULL=1 a few thousand cases in each tier. TRANSOM_FUZZ=100000 takes that many, for
 * about an hour. TRANSOM_FUZZ_SEED gives other cases; the title of a test names the seed, so that a failure can be repeated.
 */
const isFull = process.env['TRANSOM_FULL'] === '1'
const CASES = Number(process.env['TRANSOM_FUZZ'] ?? (isFull ? 5_000 : 150))
const LIFE_CASES_MAX = 200 // sound messages that one process sends before it is started again
const SEED = Number(process.env['TRANSOM_FUZZ_SEED'] ?? 20_260_101)

describe.each([
  ['standard', it],
  ['strict', needsBubblewrap()],
] as const)('random bytes, mutated messages and random claims of an app of the %s tier', (tier, test) => {
  test(
    `harm neither the desktop, nor its neighbour, nor the structure of snapshots (${CASES} cases of seed ${SEED})`,
    async () => {
      const { driver, dir } = await openHostile(tier, ATTACK_FROM_FILE)
      const rounds = { neighbour: 0, ended: 0 }
      for (const life of lives(fc.sample(hostileCase, { numRuns: CASES, seed: SEED }))) {
        setAttack(dir, Buffer.concat(life.map(encodeCase)))
        // It may end the app, forge its own failure, or never answer: half a frame swallows what follows.
        await driver.lease
          .execute({ app: 'app_1', operation: 'attack', args: {} }, { timeoutMs: 1000 })
          .catch(() => undefined)
        await checkNeighbour(driver, rounds.neighbour++)
        const markup = driver.look()
        expect(nestingProblems(markup), show(life)).toEqual([])
        expect(desktopTags(markup).filter(isForeign), show(life)).toEqual([])
        expect(JSON.parse(JSON.stringify(serialize(driver.desktop))), show(life)).toBeTruthy()
        if (driver.desktop.apps()[0]?.status === 'failed') rounds.ended++
        await driver.system('close --application app_1').catch(() => undefined) // it may be closed already
        await driver.system('open --application app_1')
      }
      // The cases must not all be harmless.
      expect(rounds.ended).toBeGreaterThan(0)
    },
    CASES > 1000 ? 10_800_000 : 120_000, // 100,000: half an hour on an idle machine, an hour and more on a busy one
  )
})

/** Cuts the cases into what one process can send: it is ended by the first that breaks the contract. */
function lives(cases: readonly HostileCase[]): HostileCase[][] {
  const found: HostileCase[][] = [[]]
  for (const one of cases) {
    const life = found.at(-1)
    life?.push(one)
    if (!isSound(one) || (life?.length ?? 0) >= LIFE_CASES_MAX) found.push([])
  }
  return found.filter((life) => life.length > 0)
}

function isSound(one: HostileCase): boolean {
  if (one.kind === 'bytes') return false
  try {
    decodeFromApp(JSON.parse(JSON.stringify(one.message)))
    return true
  } catch {
    return false
  }
}

function isForeign(tag: string): boolean {
  return !/^<\/?(desktop|application|view|operation_log|app_log)$/.test(tag)
}

function show(life: readonly HostileCase[]): string {
  return JSON.stringify(life).slice(0, 2000)
}
