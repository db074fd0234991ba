import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeApp, makeTempDir } from '../../test-support/app-folder.ts'
import { AotuiError } from '../contract/aotui-error.ts'
import { parseManifest, readManifest } from './app-manifest.ts'
import { isPathInside, judgeConnection, judgeSpawn } from './permission.ts'

const SOUND = {
  id: 'com.example.lark',
  name: 'Lark',
  version: '1.0.0',
  entry: 'dist/main.js',
  system: false,
  permissions: ['fs:read:/tmp', 'net:http:*.larksuite.com'],
}

function fieldOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    if (error instanceof AotuiError) return error.data['field']
    throw error
  }
  throw new Error('expected the manifest to be refused')
}

describe('aoapp.json', () => {
  it('of the spec is accepted', () => {
    expect(parseManifest(SOUND)).toMatchObject({
      id: 'com.example.lark',
      tier: 'standard',
      dom: 'happy-dom',
      views: [],
    })
  })

  it('with a mistake names the field', () => {
    const cases: [string, Record<string, unknown>][] = [
      ['id', { id: 'lark' }],
      ['id', { id: undefined }],
      ['name', { name: '' }],
      ['entry', { entry: 5 }],
      ['system', { system: 'yes' }],
      ['permissions', { permissions: 'all' }],
      ['permissions[1]', { permissions: ['fs:read:/tmp', 'fs:erase:/tmp'] }],
      ['permissions[0]', { permissions: ['fs:read'] }],
      ['permissions[0]', { permissions: ['fs:read:relative'] }],
      ['permissions[0]', { permissions: ['net:http:http://x.com'] }],
      ['permissions[0]', { permissions: ['fs:read:/tmp/a,/etc'] }],
      ['permissions[0]', { permissions: ['fs:read:/tmp/*'] }],
      ['permissions[0]', { permissions: [1] }],
      ['dom', { dom: 'linkedom' }],
      ['tier', { tier: 'trusted' }],
      ['views', { views: {} }],
      ['views[0].entry', { views: [{ name: 'A' }] }],
      [
        'views[1].name',
        {
          views: [
            { name: 'A', entry: 'a.js' },
            { name: 'A', entry: 'b.js' },
          ],
        },
      ],
      ['views[0].mount', { views: [{ name: 'A', entry: 'a.js', mount: 'later' }] }],
      ['description', { description: 'x'.repeat(501) }],
      ['when_to_use', { when_to_use: 5 }],
    ]
    for (const [field, change] of cases)
      expect(fieldOf(() => parseManifest({ ...SOUND, ...change }))).toBe(field)
  })

  it('takes a description, when_to_use, an author, and unknown fields with a warning', () => {
    const about = { description: 'Chat', when_to_use: 'to talk to people', author: 'Ann' }
    const manifest = parseManifest({ ...SOUND, ...about, permision: [] })
    expect(manifest).toMatchObject(about)
    expect(manifest.warnings).toEqual([expect.stringContaining('"permision" is not a known field')])
    expect(parseManifest(SOUND).warnings).toEqual([])
  })

  it('cannot name an entry outside its folder, not even through a symlink', () => {
    const outside = makeTempDir()
    writeFileSync(join(outside, 'evil.mjs'), '')
    expect(fieldOf(() => readManifest(makeApp({ main: '', manifest: { entry: '../evil.mjs' } })))).toBe(
      'entry',
    )
    expect(fieldOf(() => readManifest(makeApp({ main: '', manifest: { entry: 'missing.mjs' } })))).toBe(
      'entry',
    )
    const dir = makeApp({ main: '', manifest: { entry: 'lib/evil.mjs' } })
    mkdirSync(join(dir, 'x'))
    symlinkSync(outside, join(dir, 'lib'))
    expect(fieldOf(() => readManifest(dir))).toBe('entry')
  })

  it('that is missing or no JSON says so', () => {
    expect(() => readManifest(makeTempDir())).toThrow(/no app in/)
    const dir = makeTempDir()
    writeFileSync(join(dir, 'aoapp.json'), '{')
    expect(() => readManifest(dir)).toThrow(/is not JSON/)
  })
})

describe('permissions', () => {
  it('of hosts: a star is the subdomains and not the name itself', () => {
    const judge = (grants: string[], host: string, port = 443) => judgeConnection(grants, host, port)
    expect(judge(['net:http:*.x.com'], 'a.x.com')).toEqual({ allowedBy: 'net:http:*.x.com' })
    expect(judge(['net:http:*.x.com'], 'a.b.X.com')).toHaveProperty('allowedBy')
    expect(judge(['net:http:*.x.com'], 'x.com')).toEqual({ missing: 'net:http:x.com' })
    expect(judge(['net:http:*.x.com'], 'evilx.com')).toHaveProperty('missing')
    expect(judge(['net:http:x.com'], 'x.com.evil.com')).toHaveProperty('missing')
    expect(judge(['net:http:x.com'], 'x.com', 8080)).toEqual({ missing: 'net:tcp:x.com:8080' })
    expect(judge(['net:http:x.com:8080'], 'x.com', 8080)).toHaveProperty('allowedBy')
    expect(judge(['net:tcp:x.com'], 'x.com', 25)).toHaveProperty('allowedBy')
    expect(judge(['net:http:[::1]:8080'], '::1', 8080)).toHaveProperty('allowedBy')
    expect(judge(['net:http:*'], 'any.org', 80)).toHaveProperty('allowedBy')
    expect(judge([], 'any.org', 80)).toEqual({ missing: 'net:http:any.org' })
  })

  it('of paths end at folder names, of programs at program names', () => {
    expect(isPathInside('/a/b/c', ['/a/b'])).toBe(true)
    expect(isPathInside('/a/bc', ['/a/b'])).toBe(false)
    expect(isPathInside('/a/b/../c', ['/a/b'])).toBe(false)
    expect(isPathInside('/x', ['*'])).toBe(true)
    expect(judgeSpawn(['git'], '/usr/bin/git')).toEqual({ allowed: true })
    expect(judgeSpawn(['git'], 'gitk')).toEqual({ missing: 'child:spawn:gitk' })
  })
})
