import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { platform } from '../platform/current-platform.ts'
import { HomeRegistration } from './home-registration.ts'
import { HomeRegistry, withHome } from './home-registry.ts'

let folder: string
let registry: HomeRegistry

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-registry-'))
  registry = new HomeRegistry({ XDG_STATE_HOME: folder })
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const enter = (home: string) =>
  registry.tryUpdate((homes) => withHome(homes, home, '2026-01-01T00:00:00.000Z'))
const paths = () => registry.read()?.map((entry) => entry.path)

/** Holds the registry's lock, as another process would, until the returned function is called. */
function holdLock(): () => void {
  enter('/first') // makes the folder
  const fd = fs.openSync(path.join(folder, 'transom', 'homes.lock'), 'a')
  expect(platform().tryLockFile(fd)).toBe(true)
  return () => fs.closeSync(fd)
}

describe('the Home Registry', () => {
  test('lives where the XDG specification says', () => {
    expect(registry.file).toBe(path.join(folder, 'transom', 'homes.json'))
    const fallback = path.join(os.homedir(), '.local', 'state', 'transom', 'homes.json')
    expect(new HomeRegistry({}).file).toBe(fallback)
    expect(new HomeRegistry({ XDG_STATE_HOME: 'relative' }).file).toBe(fallback)
  })

  test('has a Home once, however often it enters, and is this user’s alone', () => {
    expect(registry.read()).toEqual([])
    for (const home of ['/a', '/b', '/a']) expect(enter(home)).toBe(true)
    expect(paths()).toEqual(['/a', '/b'])
    expect(fs.statSync(registry.file).mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.dirname(registry.file)).mode & 0o777).toBe(0o700)
  })

  test('is not written when nothing changes', () => {
    enter('/a')
    const { ino } = fs.statSync(registry.file)
    enter('/a')
    expect(fs.statSync(registry.file).ino).toBe(ino)
  })

  test.each(['', '{', '{"version":1,"homes":[{"path":1}]}', '{"version":2,"homes":[]}', '[]', '\0\0\0'])(
    'a file with %j in it counts as empty and is replaced',
    (content) => {
      enter('/a')
      fs.writeFileSync(registry.file, content)
      expect(registry.read()).toBeNull()
      expect(enter('/b')).toBe(true)
      expect(paths()).toEqual(['/b'])
    },
  )

  test('drops its oldest entries rather than grow without end', () => {
    registry.tryUpdate(() =>
      Array.from({ length: 1000 }, (_, index) => ({ path: `/${index}`, registered_at: 'then' })),
    )
    enter('/new')
    expect(paths()).toHaveLength(1000)
    expect([paths()?.[0], paths()?.at(-1)]).toEqual(['/1', '/new'])
  })
})

describe('registering a Home', () => {
  test('goes on in the background while another process has the lock', async () => {
    const release = holdLock()
    const registration = new HomeRegistration('/mine', registry)
    registration.ensure()
    expect(paths()).toEqual(['/first'])
    release()
    await registration.settled()
    expect(paths()).toEqual(['/first', '/mine'])
  })

  test('is given up when the host leaves', async () => {
    const release = holdLock()
    const registration = new HomeRegistration('/mine', registry)
    registration.ensure()
    await registration.close()
    expect(paths()).toEqual(['/first'])
    release()
  })

  test('fails without a word where the registry cannot be', () => {
    for (const state of ['/proc/self/nowhere', '/dev/null']) {
      const registration = new HomeRegistration('/mine', new HomeRegistry({ XDG_STATE_HOME: state }))
      expect(() => registration.ensure()).not.toThrow()
    }
  })
})
