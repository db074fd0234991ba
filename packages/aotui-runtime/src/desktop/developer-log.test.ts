import { expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { openApp } from '../../test-support/desktop-driver.ts'
import type { DeveloperLine } from './developer-log.ts'

it('takes what an app prints, with its level and place, and reports each line as it comes', async () => {
  const lines: DeveloperLine[] = []
  const main = `
    document.body.innerHTML = '<main view="V"><p>text</p><button operation="print">Print</button></main>'
    document.addEventListener('aotui:operation', () => console.log('only watching'))
    console.log('a number: %d', 42, { deep: [1] })
    console.warn('careful')
    console.error(new Error('broken'))
    console.table([{ a: 1 }])`
  const driver = await openApp(makeApp({ main }))
  const stop = driver.desktop.followDeveloperLog((line) => lines.push(line))
  expect(lines.map(({ level, text }) => [level, text.split('\n')[0]])).toEqual([
    ['info', 'a number: 42 { deep: [ 1 ] }'],
    ['warning', 'careful'],
    ['error', 'Error: broken'],
    ['info', expect.stringContaining('┌')],
  ])
  expect(lines.map(({ at }) => /main\.mjs:\d+/.exec(at ?? '')?.[0])).toEqual([
    'main.mjs:4',
    'main.mjs:5',
    'main.mjs:6',
    'main.mjs:7',
  ])
  expect(driver.desktop.developerLog()).toEqual(lines)
  // Agents do not read it, and printing is not handling.
  expect(driver.look()).not.toContain('careful')
  expect((await driver.execute('print')).warnings).toEqual(['no_effect'])
  expect(lines.at(-1)?.text).toBe('only watching')
  stop()
  await driver.execute('print')
  expect(driver.desktop.developerLog()).toHaveLength(lines.length + 1)
})
