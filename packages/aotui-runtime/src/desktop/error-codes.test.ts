import { expect, it } from 'vitest'
import { makeApp } from '../../test-support/app-folder.ts'
import { failure, openApp, type DesktopDriver } from '../../test-support/desktop-driver.ts'
import { toJsonRpcError, type AotuiErrorCode } from '../index.ts'

const APP = `
  import { readFileSync } from 'node:fs'
  const WORK = {
    hang: () => new Promise(() => {}),
    pry: async () => readFileSync('/etc/hostname'),
    fail: async () => { throw new Error('the disk is full') },
    die: async () => process.exit(3),
  }
  document.body.innerHTML = '<main view="V"><p>text</p>' +
    Object.keys(WORK).map((name) => '<button operation="' + name + '">x</button>').join('') + '</main>'
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) =>
    detail.waitUntil(WORK[detail.operation]()))
`

const NUMBERS: Record<AotuiErrorCode, number> = {
  E_INVALID_CMD: -32600,
  E_NOT_FOUND: -32001,
  E_PERMISSION: -32002,
  E_TIMEOUT: -32003,
  E_INTERNAL: -32603,
}

const run = (command: string) => (driver: DesktopDriver) => driver.run(command)
const execute = (operation: string) => (driver: DesktopDriver) =>
  driver.lease.execute({ app: 'app_1', operation, args: {} }, { timeoutMs: 300 })

it.each([
  ['E_INVALID_CMD', 'a context that is never closed', run('<context>open --application app_1')],
  ['E_INVALID_CMD', 'a quote that is never closed', run('<context app_id="app_1">execute fail "x</context>')],
  ['E_INVALID_CMD', 'an unknown command', run('<context>fly --application app_1</context>')],
  ['E_NOT_FOUND', 'an application that is not there', run('<context>open --application app_9</context>')],
  ['E_NOT_FOUND', 'a view that is not there', run('<context>mount --view view_999</context>')],
  ['E_NOT_FOUND', 'an operation that is not there', execute('nothing')],
  ['E_PERMISSION', 'an app that reaches for a file', execute('pry')],
  [
    'E_PERMISSION',
    'a lease that is not in force',
    ({ desktop }) => desktop.input.execute('', { lease: 'x' }),
  ],
  ['E_TIMEOUT', 'an operation that never ends', execute('hang')],
  ['E_INTERNAL', 'a handler that throws', execute('fail')],
  ['E_INTERNAL', 'an app process that ends', execute('die')],
] satisfies [AotuiErrorCode, string, (driver: DesktopDriver) => Promise<unknown>][])(
  '%s has the shape of the specification on a wire: %s',
  async (code, _, provoke) => {
    const driver = await openApp(makeApp({ main: APP }))
    const wire: unknown = JSON.parse(JSON.stringify(toJsonRpcError(await failure(provoke(driver)), 7)))
    const recoverable = ['E_INVALID_CMD', 'E_NOT_FOUND', 'E_TIMEOUT'].includes(code)
    expect(wire).toEqual({
      jsonrpc: '2.0',
      error: {
        code: NUMBERS[code],
        message: expect.stringMatching(new RegExp(`^${code}: \\S`)) as string,
        data: expect.objectContaining({ recoverable }) as object,
      },
      id: 7,
    })
  },
)
