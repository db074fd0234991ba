import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeTempDir } from '../../test-support/app-folder.ts'
import { openApp } from '../../test-support/desktop-driver.ts'
import { needsBubblewrap } from '../../test-support/needs.ts'

const tiers = [
  ['standard', it],
  ['strict', needsBubblewrap()],
] as const

/** A project with an app of a scope, installed by npm: what the app depends on lies beside it. */
function installed(tier: string): string {
  const project = makeTempDir()
  const files: Record<string, string> = {
    'node_modules/@scope/app/aoapp.json': `{"id": "com.example.app", "name": "App", "entry": "main.js", "tier": "${tier}"}`,
    'node_modules/@scope/app/package.json':
      '{"type": "module", "dependencies": {"direct": "1", "linked": "1"}}',
    'node_modules/@scope/app/main.js': `
      import { direct } from 'direct'
      import linked from 'linked'
      const undeclared = await import('undeclared').then(() => 'undeclared runs', (error) => error.code)
      document.body.innerHTML = '<main view="V"><p>' + [direct, linked, undeclared].join(', ') + '</p></main>'`,
    'node_modules/direct/package.json':
      '{"type": "module", "main": "main.js", "dependencies": {"indirect": "1"}}',
    'node_modules/direct/main.js': "import text from 'indirect'\nexport const direct = 'direct and ' + text",
    'node_modules/indirect/package.json': '{}',
    'node_modules/indirect/index.js': "module.exports = 'indirect'",
    'node_modules/undeclared/package.json': '{}',
    'node_modules/undeclared/index.js': 'module.exports = 1',
    'elsewhere/linked/package.json': '{}',
    'elsewhere/linked/index.js': "module.exports = 'linked'",
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  symlinkSync('../elsewhere/linked', join(project, 'node_modules/linked'))
  return join(project, 'node_modules/@scope/app')
}

describe.each(tiers)('in the %s tier', (tier, test) => {
  test('an app reads the packages that it declares, and theirs, and no other', async () => {
    const driver = await openApp(installed(tier))
    expect(driver.view('V')).toMatch(/^direct and indirect, linked, ERR_(ACCESS_DENIED|MODULE_NOT_FOUND)$/)
  })
})
