import { beforeAll, describe, expect, it } from 'vitest'
import { buildRuntime } from '../../aotui-runtime/test-support/runtime-build.ts'
import { makeProject } from '../test-support/app-project.ts'
import { checkApp } from './check-command.ts'

beforeAll(() => buildRuntime())

const check = async (files: Record<string, string>) =>
  (await checkApp(makeProject(files))).map(({ level, where, text }) => `${level}: ${where}: ${text}`)

const HOOKS = 'export const serialize = () => null; export const restore = () => undefined'

describe('aoapp check', () => {
  it('finds nothing wrong with an app that is right', async () => {
    expect(await check({})).toEqual([])
  })

  it('names what is wrong with the manifest', async () => {
    expect(await check({ 'aoapp.json': '{"id": "notes", "name": "N", "entry": "main.mjs"}' })).toEqual([
      expect.stringMatching(/^error: aoapp\.json: .*must be in reverse domain notation/),
    ])
    expect(
      await check({ 'aoapp.json': '{"id": "com.x.n", "name": "N", "entry": "main.mjs", "entyr": "x"}' }),
    ).toEqual([
      expect.stringMatching(/^warning: aoapp\.json: .*"entyr" is not a known field/),
      'warning: aoapp.json: has no "description", which agents choose apps by',
    ])
  })

  it('names imports that will be missing, where they are', async () => {
    const findings = await check({
      'package.json': '{"dependencies": {"declared": "1"}, "devDependencies": {"vitest": "4"}}',
      'main.mjs': `import fs from 'node:fs'\nimport './part.mjs'\nimport 'vitest'\nimport '../out.mjs'\nimport './gone.mjs'`,
      'part.mjs': `import 'declared/sub'\nexport const late = () => import('@scope/undeclared/x')`,
    })
    expect(findings).toEqual([
      'error: main.mjs:3:9: imports "vitest", which is neither bundled nor in the "dependencies" of package.json',
      'error: main.mjs:4:9: imports "../out.mjs", and there is no such file',
      'error: main.mjs:5:9: imports "./gone.mjs", and there is no such file',
      'error: part.mjs:1:9: imports "declared/sub", which is not installed; run "npm install"',
      expect.stringContaining(
        'imports "@scope/undeclared/x", which is neither bundled nor in the "dependencies" of package.json',
      ),
    ])
  })

  it('names the line of a mistake in the code', async () => {
    expect(await check({ 'main.mjs': 'const a = 1\nconst b = = 2' })).toEqual([
      "error: main.mjs:2: SyntaxError: Unexpected token '='",
    ])
    expect(await check({ 'main.mjs': `${HOOKS}\nnull.x` })).toContainEqual(
      expect.stringMatching(/^error: main\.mjs:2:6: Cannot read properties of null/),
    )
  })

  it('names ids that are declared twice', async () => {
    const findings = await check({
      'main.mjs': `${HOOKS}
        document.body.innerHTML = \`<main view="A">
          <button operation="go">Go</button><button operation="go">Go</button>
          <ul list="x[]:xs"><li key="1">1</li></ul><ul list="x[]:xs"><li key="2">2</li></ul>
          <button operation="both">Both</button>
        </main><main view="B"><button operation="both">Both</button></main>\``,
    })
    expect(findings).toContainEqual('error: view A: list "xs" is declared more than once')
    expect(findings).toContainEqual(
      expect.stringMatching(/^error: .*operation "go" is declared more than once/),
    )
    expect(findings).toContainEqual(
      'warning: views A, B: each declare operation "both"; ids should be unique in an app',
    )
  })

  it('names what breaks the contract', async () => {
    expect(await check({ 'main.mjs': 'console.warn("well")' })).toEqual([
      'error: the app: shows no view: no element has a "view" attribute',
      'warning: the app: exports no serialize and restore: it forgets everything when it restarts',
      'warning: main.mjs:1:9: well',
    ])
    const broken = `${HOOKS}\ndocument.body.innerHTML = \`<main view="A"><p>\${Math.random()}</p><button operation="x" args="text">X</button></main>\``
    expect(await check({ 'main.mjs': broken })).toEqual([
      'warning: view A: shows something else after a restart with the same data',
      expect.stringMatching(/^error: the app: .*operation "x" is left out: args is not JSON/),
    ])
  })
})
