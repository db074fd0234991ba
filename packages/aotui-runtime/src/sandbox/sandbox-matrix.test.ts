import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeApp, makeTempDir } from '../../test-support/app-folder.ts'
import { failure, openApp, openDesktop } from '../../test-support/desktop-driver.ts'
import type { AotuiError } from '../contract/aotui-error.ts'
import { needsBubblewrap } from '../../test-support/needs.ts'
import { openProbe } from '../../test-support/sandbox-probe.ts'

/** What docs/sandbox.md says, row by row. */
const tiers = [
  ['standard', it],
  ['strict', needsBubblewrap()],
] as const

describe.each(tiers)('the %s tier', (tier, test) => {
  test('opens files inside the scopes and names the permission for those outside', async () => {
    const { run, scopeDir, outsideDir, appDir, log } = await openProbe(tier)
    const secret = join(outsideDir, 'secret')
    expect(await run('read', { path: join(scopeDir, 'file') })).toBe('ok inside')
    expect(await run('write', { path: join(scopeDir, 'new') })).toBe('ok written')
    for (const what of ['read', 'read_promise', 'read_callback', 'read_stream']) {
      expect(await run(what, { path: secret })).toBe(`E_PERMISSION fs:read:${secret}`)
    }
    expect(await run('write', { path: join(outsideDir, 'new') })).toBe(
      `E_PERMISSION fs:write:${join(outsideDir, 'new')}`,
    )
    expect(log()).toContain('E_PERMISSION: fs:read:')
    // From where it may read to where it may write, and not the other way round.
    expect(await run('copy', { path: join(appDir, 'aoapp.json'), to: join(scopeDir, 'copy') })).toMatch(
      /^ok /,
    )
    expect(await run('copy', { path: join(scopeDir, 'file'), to: join(appDir, 'copy') })).toBe(
      `E_PERMISSION fs:write:${join(appDir, 'copy')}`,
    )
    expect(await run('link', { path: secret, to: join(scopeDir, 'own-link') })).toMatch(/^E_PERMISSION fs:/)
  })

  test('does not follow a symlink out of a scope', async () => {
    const { run, scopeDir, outsideDir } = await openProbe(tier)
    // Under bubblewrap the target is not even there.
    const refused = new RegExp(
      tier === 'standard' ? `^E_PERMISSION fs:read:${outsideDir}/secret$` : '^ENOENT$',
    )
    expect(await run('read', { path: join(scopeDir, 'link') })).toMatch(refused)
    expect(await run('read', { path: join(scopeDir, 'dirlink', 'secret') })).toMatch(refused)
    expect(await run('write', { path: join(scopeDir, 'dirlink', 'new') })).toMatch(/^E_PERMISSION|^ENOENT/)
  })

  test('does not let sqlite, addons, internal bindings or worker threads round the guard', async () => {
    const { run, outsideDir } = await openProbe(tier)
    // Node 20 has no sqlite at all.
    expect(await run('sqlite', { path: join(outsideDir, 'secret') })).toMatch(
      /^E_PERMISSION module:sqlite$|^ERR_UNKNOWN_BUILTIN_MODULE$/,
    )
    expect(await run('addon')).toBe('E_PERMISSION process:addon')
    expect(await run('binding')).toBe('E_PERMISSION process:binding')
    expect(await run('worker')).toBe('E_PERMISSION worker:create')
    expect(await run('trace')).toBe('E_PERMISSION process:trace')
    expect(await run('report', { path: join(outsideDir, 'report') })).toBe('E_PERMISSION process:report')
    expect(await run('report_on_signal', { path: outsideDir })).toBe('TypeError')
    for (const what of ['inspect', 'heap']) expect(await run(what)).toBe('E_PERMISSION process:inspect')
    expect(await run('wasi')).toBe('E_PERMISSION module:wasi')
  })

  test('gives every variable to an app with env:read:*', async () => {
    process.env['AOTUI_TEST_SECRET'] = 'secret'
    const { run } = await openProbe(tier, ['env:read:*'])
    expect(await run('env', { name: 'AOTUI_TEST_SECRET' })).toBe('ok secret')
  })

  test('bounds buffers as well as the heap', async () => {
    const { run } = await openProbe(tier, [], { heapMb: 128 })
    expect(await run('buffers', { mb: 50 })).toBe('ok 50 MB')
    // 128 MB of heap and 256 MB beside it.
    const refused = await run('buffers', { mb: 450 }).catch((error: AotuiError) => error.data['reason'])
    expect(refused).toMatch(/^(ERR_MEMORY_ALLOCATION_FAILED|app_crashed)$/)
  })

  test('starts no program that is not named', async () => {
    const closed = await openProbe(tier)
    for (const what of ['spawn', 'spawn_sync', 'spawn_missing']) {
      expect(await closed.run(what, { program: '/bin/echo', args: ['hi'] })).toBe(
        'E_PERMISSION child:spawn:echo',
      )
    }
    const open = await openProbe(tier, ['child:spawn:echo'])
    expect(await open.run('spawn', { program: '/bin/echo', args: ['hi'] })).toBe('ok hi')
    expect(await open.run('spawn', { program: '/bin/ls', args: ['/'] })).toBe('E_PERMISSION child:spawn:ls')
  })

  test('signals no other process and sees no environment but what was granted', async () => {
    process.env['AOTUI_TEST_OPEN'] = 'open'
    process.env['AOTUI_TEST_SECRET'] = 'secret'
    const { run } = await openProbe(tier)
    expect(await run('kill', { pid: process.pid })).toBe('E_PERMISSION process:kill')
    for (const what of ['kill_inner', 'debug_process', 'renice'])
      expect(await run(what, { pid: process.pid })).toBe('E_PERMISSION process:kill')
    expect(await run('env', { name: 'AOTUI_TEST_OPEN' })).toBe('ok open')
    expect(await run('env', { name: 'AOTUI_TEST_SECRET' })).toBe('ok undefined')
    expect(await run('env_names')).not.toContain('SECRET')
  })

  test('connects to granted hosts and ports only, resolves no other name, and neither listens nor sends UDP', async () => {
    const { run, port, otherPort } = await openProbe(tier)
    expect(await run('tcp', { host: '127.0.0.1', port })).toBe('ok connected')
    expect(await run('fetch', { url: `http://localhost:${port}/` })).toBe('ok served')
    expect(await run('tcp', { host: '127.0.0.1', port: otherPort })).toBe(
      `E_PERMISSION net:tcp:127.0.0.1:${otherPort}`,
    )
    expect(await run('fetch', { url: `http://127.0.0.1:${otherPort}/` })).toBe(
      `E_PERMISSION net:tcp:127.0.0.1:${otherPort}`,
    )
    expect(await run('fetch', { url: 'http://example.com/' })).toBe('E_PERMISSION net:http:example.com')
    expect(await run('dns', { host: 'example.com' })).toBe('E_PERMISSION net:http:example.com')
    expect(await run('udp')).toBe('E_PERMISSION net:udp')
    expect(await run('listen')).toBe('E_PERMISSION net:listen')
  })
})

describe.each(tiers)('the data folder in the %s tier', (tier, test) => {
  test("is the app's own to write to", async () => {
    const main = `import { readFileSync, writeFileSync } from 'node:fs'
      writeFileSync(aotui.dataDir + '/note', 'kept')
      document.body.innerHTML = '<main view="V"><p>' + readFileSync(aotui.dataDir + '/note', 'utf8') + '</p></main>'`
    const dataRoot = makeTempDir()
    const driver = await openApp(makeApp({ main, manifest: { tier } }), { dataRoot })
    expect(driver.view('V')).toBe('kept')
    expect(readFileSync(join(dataRoot, driver.desktop.id, 'com.example.app', 'note'), 'utf8')).toBe('kept')
  })
})

/** A program that an app may start knows nothing of the guard: what stops it is the boundary, or nothing is. */
describe('past the guard', () => {
  const args = (script: string) => ({ program: '/bin/sh', args: ['-c', `${script} 2>&1 || echo failed`] })
  const connect = (port: number) =>
    `"${process.execPath}" -e 'require("net").connect(${port},"127.0.0.1",()=>{console.log("connected");process.exit()}).on("error",()=>process.exit(1))'`

  it('the standard tier is no boundary: a granted program reads, signals and connects (known hole)', async () => {
    const { run, outsideDir, otherPort } = await openProbe('standard', ['child:spawn:sh'])
    expect(await run('spawn', args(`cat ${outsideDir}/secret`))).toBe('ok secret')
    expect(await run('spawn', args(`kill -0 ${process.pid} && echo alive`))).toBe('ok alive')
    // Newer versions of Node print a warning first.
    expect(await run('spawn', args(connect(otherPort)))).toMatch(/^ok [\s\S]*connected$/)
  })

  needsBubblewrap()(
    'the strict tier is one: files, symlinks, processes and the network stay closed',
    async () => {
      const { run, outsideDir, scopeDir, port, otherPort } = await openProbe('strict', ['child:spawn:sh'])
      expect(await run('spawn', args(`cat ${outsideDir}/secret`))).toContain('failed')
      expect(await run('spawn', args(`cat ${scopeDir}/link`))).toContain('failed')
      expect(await run('spawn', args('cat /etc/shadow'))).toContain('failed')
      expect(await run('spawn', args(`kill -0 ${process.pid} && echo alive`))).toContain('failed')
      // Not even the granted port: the broker is the only way, and it checks by itself.
      expect(await run('spawn', args(connect(port)))).toContain('failed')
      expect(await run('spawn', args(connect(otherPort)))).toContain('failed')
      expect(await run('spawn', args(`echo changed > ${scopeDir}/file && cat ${scopeDir}/file`))).toBe(
        'ok changed',
      )
      expect(await run('spawn', args(`echo x > /usr/aotui-test`))).toContain('failed')
      // The folder of the broker's sockets is the host's: nothing can be stored or replaced in it.
      expect(await run('tcp', { host: '127.0.0.1', port })).toBe('ok connected')
      expect(await run('spawn', args('ls -d /tmp/aotui-net-*'))).toMatch(/^ok \S*aotui-net-\S+$/)
      expect(await run('spawn', args('for dir in /tmp/aotui-net-*; do touch $dir/file; done'))).toContain(
        'Read-only file system',
      )
    },
  )
})

it('a handler that is denied something makes the command fail with the permission that was missing', async () => {
  const main = `import { readdirSync, readFileSync } from 'node:fs'
    document.body.innerHTML = '<main view="V"><button operation="go">x</button></main>'
    document.querySelector('main').addEventListener('aotui:operation', () => readFileSync('/etc/hostname'))`
  const driver = await openApp(makeApp({ main }))
  const error = await failure(driver.execute('go'))
  expect(error).toMatchObject({ code: 'E_PERMISSION', data: { permission: 'fs:read:/etc/hostname' } })
  expect(driver.developerLog()).toContain('E_PERMISSION: fs:read:/etc/hostname was refused')
  expect(driver.look()).toContain('execute go: E_PERMISSION: fs:read:/etc/hostname is not granted')
})

it('the strict tier is refused, not weakened, where bubblewrap is missing', async () => {
  const { PATH: path, TMPDIR: temp } = process.env
  const ownTemp = makeTempDir()
  const driver = await openDesktop({ apps: [makeApp({ main: '', manifest: { tier: 'strict' } })] })
  Object.assign(process.env, { PATH: '/nowhere', TMPDIR: ownTemp })
  try {
    const error = await failure(driver.system('open --application app_1'))
    expect(error.data['reason']).toBe('no_bwrap')
    expect(driver.look()).toContain('the strict tier needs Linux and the program bwrap')
    expect(readdirSync(ownTemp)).toEqual([])
  } finally {
    process.env['PATH'] = path
    if (temp === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = temp
  }
})
