import {
  OPERATIONS,
  TOKEN_SCOPES,
  touchingParams,
  type OperationDefinition,
  type TokenPrincipal,
  type TokenScope,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { expect, test } from 'vitest'
import { authorize, filterResult } from './access.ts'

const operations = Object.entries<OperationDefinition>(OPERATIONS)
const OWN = 'own-session'
const OTHER = 'other-session'

const finder = {
  findSession: async (ref: string) => ref,
  findConversation: async (ref: string) => ref,
}

function token(scope: TokenScope, sessions: string[] | null): TokenPrincipal {
  return { kind: 'token', id: 'id', name: 'name', scope, sessions }
}

async function isAllowed(principal: TokenPrincipal, name: string, params: object): Promise<boolean> {
  try {
    await authorize(principal, name, params, finder)
    return true
  } catch (error) {
    if (error instanceof OpError && error.code === 'forbidden') return false
    throw error
  }
}

/** `yes`: any session. `own`: with a token for one session, that one alone. `-`: never. */
async function verdict(principal: TokenPrincipal, name: string, params: object): Promise<string> {
  const naming = (session: string) => ({ ...params, session, conversation_id: session })
  if (!(await isAllowed(principal, name, naming(OWN)))) return '-'
  if (principal.sessions === null) return 'yes'
  if (!(await isAllowed(principal, name, naming(OTHER)))) return 'own'
  const listed = { sessions: [{ session: OWN }, { session: OTHER }] }
  return filterResult(principal, name, listed) === listed ? 'yes' : 'own'
}

/** Calls that differ in who may make them: the operation alone, and with each parameter that touches something. */
function calls(): { label: string; name: string; params: object }[] {
  return operations.flatMap(([name, { params }]) => [
    { label: name, name, params: {} },
    ...[...touchingParams(params)].map(([parameter, touch]) => ({
      label: `${name} {${parameter}} (${touch})`,
      name,
      params: { [parameter]: parameter === 'save' ? true : '/x' },
    })),
  ])
}

test('who may call what is as it was reviewed', async () => {
  const kinds = [null, [OWN]].flatMap((sessions) => TOKEN_SCOPES.map((scope) => token(scope, sessions)))
  const rows = await Promise.all(
    calls().map(async ({ label, name, params }) => [
      label,
      ...(await Promise.all(kinds.map((kind) => verdict(kind, name, params)))),
    ]),
  )
  const head = kinds.map(({ scope, sessions }) => (sessions === null ? scope : `${scope}, one session`))
  const all = [['', ...head], ...rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))]
  const widths = head.map((title) => title.length + 2)
  const first = Math.max(...all.map(([label = '']) => label.length)) + 2
  const line = ([label = '', ...cells]: string[]) =>
    [label.padEnd(first), ...cells.map((cell, index) => cell.padEnd(widths[index] ?? 0))].join('').trimEnd()
  await expect(`${all.map(line).join('\n')}\n`).toMatchFileSnapshot('access-table.txt')
})

test('a batch needs what its steps need', async () => {
  const steps = [
    { step: 'type', text: 'x' },
    { step: 'screenshot', out: '/x.png' },
  ]
  const asked = { session: OWN, steps }
  expect(await isAllowed(token('operate', null), 'session.batch', asked)).toBe(false)
  expect(await isAllowed(token('admin', null), 'session.batch', asked)).toBe(true)
  expect(await isAllowed(token('admin', [OWN]), 'session.batch', asked)).toBe(false)
})

/** Folders that the shell of the session changes to, as if they were typed. */
const TYPED_FOLDERS = ['session.run cwd', 'pty.exec_block cwd', 'pty.exec_interactive cwd']

test('every path that a call can name is marked with what it touches', () => {
  const unmarked = operations.flatMap(([name, { params }]) =>
    Object.entries(params.shape)
      .filter(([parameter, schema]) => isPath(parameter, schema) && !touchingParams(params).has(parameter))
      .map(([parameter]) => `${name} ${parameter}`),
  )
  expect(unmarked.toSorted()).toEqual(TYPED_FOLDERS.toSorted())
})

function isPath(parameter: string, schema: { meta(): object | undefined }): boolean {
  const { parse } = (schema.meta() ?? {}) as { parse?: string }
  return parse === 'path' || /(?:^|_)(?:path|file|folder|cwd|out|dir)$/.test(parameter)
}
