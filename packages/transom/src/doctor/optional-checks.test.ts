import { expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { runChecks } from './check.ts'
import { optionalChecks, type OptionalParts } from './optional-checks.ts'

const nothing: OptionalParts = {
  env: { PATH: '/nowhere' },
  findBrowser: () => {
    throw new OpError('browser_not_found', 'no Chromium was found; "awi-tty install-browser" fetches one')
  },
  fontPackagesFor: (points) => (points.includes(0x1f600) ? ['canvas', 'emoji-font'] : ['canvas', 'cjk-font']),
}

test('what is not installed is absent, with what it would make possible and how to get it', async () => {
  expect(await runChecks(optionalChecks(nothing))).toMatchObject([
    { check: 'web_sessions', status: 'absent', advice: '"awi-tty install-browser" fetches one' },
    {
      check: 'videos',
      status: 'absent',
      found: expect.stringContaining('webm or mp4'),
      advice: 'install ffmpeg',
    },
    { check: 'emoji_in_pictures', status: 'absent', advice: 'npm install -g canvas emoji-font' },
    { check: 'cjk_in_pictures', status: 'absent', advice: 'npm install -g canvas cjk-font' },
  ])
})

test('what is there is named by what it does', async () => {
  const all = { ...nothing, findBrowser: () => '/usr/bin/chromium', fontPackagesFor: () => [] }
  const results = await runChecks(optionalChecks(all))
  expect(results.map(({ check, status }) => `${check} ${status}`)).toEqual([
    'web_sessions ok',
    'videos absent',
    'emoji_in_pictures ok',
    'cjk_in_pictures ok',
  ])
  expect(results[0]?.found).toContain('/usr/bin/chromium')
})
