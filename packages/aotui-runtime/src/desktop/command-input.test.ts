import type { AotuiError } from '../index.ts'
import { describe, expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { failure, openApp } from '../../test-support/desktop-driver.ts'

const APP = `
  document.body.innerHTML = '<main view="Slow"><p>0</p><button operation="slow">Slow</button></main>'
  let count = 0
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) =>
    detail.waitUntil(new Promise((done) => setTimeout(() => { document.querySelector('p').textContent = ++count; done() }, 50))))
`
const SLOW = { app: 'app_1', operation: 'slow', args: {} }

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('the call was expected to throw')
}

describe('the input has one writer', () => {
  it('a second owner is refused, and so is the same owner twice', async () => {
    const { desktop } = await openApp(makeApp({ main: APP }))
    for (const owner of ['other', 'test']) {
      expect(thrown(() => desktop.input.acquire(owner))).toMatchObject({
        code: 'E_PERMISSION',
        data: { reason: 'input_locked' },
      })
    }
  })

  it('a guessed, stolen or missing token is refused', async () => {
    const { desktop, lease } = await openApp(makeApp({ main: APP }))
    for (const token of ['', 'test', lease.token.slice(1), `${lease.token}x`, undefined]) {
      const error = await failure(desktop.input.execute(SLOW, { lease: token as string }))
      expect(error).toMatchObject({ code: 'E_PERMISSION', data: { reason: 'lease_invalid' } })
    }
    expect(thrown(() => desktop.input.release('guess'))).toMatchObject({ code: 'E_PERMISSION' })
    await desktop.input.execute(SLOW, { lease: lease.token })
  })

  it('a released lease is dead, also for its old owner, and the next one works', async () => {
    const { desktop, lease } = await openApp(makeApp({ main: APP }))
    lease.release()
    expect((await failure(lease.execute(SLOW))).data['reason']).toBe('lease_invalid')
    const next = desktop.input.acquire('next')
    expect((await failure(lease.execute(SLOW))).data['reason']).toBe('lease_invalid')
    expect(thrown(() => lease.release())).toMatchObject({ code: 'E_PERMISSION' })
    await next.execute(SLOW)
  })

  it('break takes the input away by name, and nothing else does', async () => {
    const { desktop, lease } = await openApp(makeApp({ main: APP }))
    expect(thrown(() => desktop.input.break('nobody'))).toMatchObject({ code: 'E_NOT_FOUND' })
    desktop.input.break('test')
    expect((await failure(lease.execute(SLOW))).data['reason']).toBe('lease_invalid')
    await desktop.input.acquire('operator').execute(SLOW)
  })

  it('of commands sent at once one runs and the others are refused', async () => {
    const { lease } = await openApp(makeApp({ main: APP }))
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => lease.execute(SLOW)))
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as AotuiError] : []))
    expect(reasons.map(({ code, data }) => [code, data['reason']])).toEqual(
      Array.from({ length: 9 }, () => ['E_INVALID_CMD', 'busy']),
    )
    await lease.execute(SLOW)
  })
})
