import { messageOf } from '../lib/system-error.ts'

/**
 * What a check found. `absent`: an optional part is not installed, and only what it makes possible is missing.
 * `degraded`: Transom works, with less than it promises.
 */
export interface CheckResult {
  readonly check: string
  readonly status: 'ok' | 'absent' | 'degraded' | 'failed'
  /** What is there. */
  readonly found: string
  /** What to do about it; null if there is nothing to do. */
  readonly advice: string | null
}

export type Finding = Omit<CheckResult, 'check'>

export interface Check {
  readonly name: string
  /** Changes nothing that stays. What it throws counts as failed. */
  run(): Promise<Finding> | Finding
}

export function ok(found: string): Finding {
  return { status: 'ok', found, advice: null }
}

export function absent(found: string, advice: string): Finding {
  return { status: 'absent', found, advice }
}

export function degraded(found: string, advice: string): Finding {
  return { status: 'degraded', found, advice }
}

export function failed(found: string, advice: string): Finding {
  return { status: 'failed', found, advice }
}

/** One after another: a check may look at the process as a whole. */
export async function runChecks(checks: readonly Check[]): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of checks) results.push({ check: check.name, ...(await runCheck(check)) })
  return results
}

async function runCheck(check: Check): Promise<Finding> {
  try {
    return await check.run()
  } catch (error) {
    return failed(messageOf(error), 'see the message; please report it when it does not help')
  }
}
