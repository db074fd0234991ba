import { expect, test } from 'vitest'
import { runChecks } from './check.ts'
import { confinementChecks, type Confinement } from './confinement-checks.ts'

async function examine(name: string, system: Partial<Confinement>) {
  const checks = confinementChecks({ env: { AWI_CHROMIUM: process.execPath }, uid: 1000, ...system })
  return (await runChecks(checks)).find(({ check }) => check === name)
}

test('a browser that has its sandbox is named', async () => {
  expect(await examine('browser_sandbox', {})).toMatchObject({ status: 'ok', found: process.execPath })
})

test('that root’s browser has no sandbox is said', async () => {
  expect(await examine('browser_sandbox', { uid: 0 })).toMatchObject({
    status: 'degraded',
    found: `${process.execPath} runs without a sandbox: Chromium has none for root`,
  })
})

test('a machine without bubblewrap is told what that prevents', async () => {
  const finding = await examine('isolation', { env: { PATH: '/nowhere' } })
  expect(finding).toMatchObject({ status: 'ok' })
  expect(finding?.found).toMatch(/package bubblewrap; only create --isolated needs it$/)
})

test('a name that is no program is reported with its value', async () => {
  const finding = await examine('browser_sandbox', { env: { AWI_CHROMIUM: '/nowhere/chromium' } })
  expect(finding?.found).toContain('/nowhere/chromium')
})
