import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { START_QUERIES } from './support/start-queries.ts'
import { FIXTURES, TestHome } from './support/test-home.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

describe('a program in a session is answered what it asks at its start, in order', () => {
  test.each(START_QUERIES)('$program', async ({ asks, answers }) => {
    const file = path.join(home.root, 'answers')
    const program = path.join(FIXTURES, 'ask-terminal.mjs')
    const queries = Buffer.from(asks, 'latin1').toString('base64')
    const id = (await home.ok('create', '--', process.execPath, program, queries, file)).trim()
    await home.ok('wait', id, '--exit')
    expect(fs.readFileSync(file, 'latin1')).toBe(answers.join(''))
  })
})
