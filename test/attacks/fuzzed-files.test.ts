/** Random bytes in the files that we read, and random command lines: only errors of the table. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import { commandTable } from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import { readConfig } from '../../packages/transom/src/home/config.ts'
import { Home } from '../../packages/transom/src/home/home.ts'
import { encodeFileHeader, encodeRecordHeader } from '../../packages/transom/src/log/record.ts'
import { parseBatch } from '../../packages/transom/src/surfaces/cli/batch-script.ts'
import { LOCAL_COMMANDS } from '../../packages/transom/src/surfaces/cli/local-commands.ts'
import { parseArgv } from '../../packages/transom/src/surfaces/cli/parse-argv.ts'
import {
  CASES,
  FUZZ_TIMEOUT_MS,
  expectNoBug,
  mutated,
  oddNumber,
  oddText,
  oddValue,
  withstand,
} from '../support/fuzz.ts'
import { readLog } from '../support/log-contents.ts'
import { FIXTURES, TestHome } from '../support/test-home.ts'

const FORMER_SESSIONS = path.join(FIXTURES, 'former-home', 'sessions')
const SHELL = 'vgyvmp6nxqyr' // with blocks and a mark
const PROCESS_CASES = Math.ceil(CASES / 30) // each starts a program
const COMMANDS = [...commandTable(), ...LOCAL_COMMANDS]
const READERS = [
  ['session.inspect', {}],
  ['session.snapshot', { scrollback: true }],
  ['session.wait', { text: 'no such text', timeout_ms: 0 }],
  ['log.verify', {}],
  ['session.list', { all: true }],
] as const

let home: TestHome
let client: Client

beforeAll(async () => {
  home = new TestHome()
  await home.startHost()
  client = await home.connect()
})

afterAll(async () => {
  client.close()
  await home.close()
})

/** Reads a session with these files by every reader, and removes it. */
async function readPlanted(id: number, manifest: (session: string) => string | Buffer, log: Buffer) {
  const session = `planted${id}`
  const folder = path.join(home.path, 'sessions', session)
  fs.mkdirSync(folder, { mode: 0o700 })
  fs.writeFileSync(path.join(folder, 'manifest.json'), manifest(session))
  fs.writeFileSync(path.join(folder, 'events.log'), log)
  for (const [operation, params] of READERS) {
    const target = operation === 'session.list' ? {} : { session }
    const error = await client.request(operation, { ...target, ...params }).then(
      () => null,
      (thrown: unknown) => toWireError(thrown),
    )
    expect([operation, error?.code, error?.message]).not.toEqual([operation, 'internal', error?.message])
  }
  fs.rmSync(folder, { recursive: true, force: true })
}

const formerManifest = () => fs.readFileSync(path.join(FORMER_SESSIONS, SHELL, 'manifest.json'))
const formerLog = () => fs.readFileSync(path.join(FORMER_SESSIONS, SHELL, 'events.log'))
const named = (session: string) =>
  JSON.stringify({ ...(JSON.parse(String(formerManifest())) as object), session, name: null })

/** Runs what may throw; anything but an error of the table is a bug. */
function expectTyped(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof OpError) || error.code === 'internal') throw error
  }
}

test(
  'logs: changed bytes are damage',
  async () => {
    await withstand({ home, kind: 'logs of changed bytes' }, mutated(formerLog()), async (log, id) =>
      readPlanted(id, named, log),
    )
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'logs: records with right checksums and wrong fields are damage',
  async () => {
    const records = await readLog(path.join(FORMER_SESSIONS, SHELL, 'events.log'))
    const change = fc.record({
      index: fc.nat({ max: records.length - 1 }),
      payload: fc.oneof(
        oddValue.map((value) => Buffer.from(JSON.stringify(value))),
        fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
        fc.tuple(fc.nat({ max: records.length - 1 }), oddValue, fc.nat()).map(([at, value, key]) => {
          const payload = Buffer.from(records[at]?.payload ?? [])
          try {
            const fields = JSON.parse(String(payload)) as Record<string, unknown>
            const names = Object.keys(fields)
            return Buffer.from(JSON.stringify({ ...fields, [names[key % names.length] ?? '']: value }))
          } catch {
            return payload // no JSON, or none with fields
          }
        }),
      ),
      typeNumber: fc.option(fc.nat({ max: 40 })),
      time: fc.option(oddNumber),
      seq: fc.option(fc.nat({ max: 1000 })),
    })
    const log = fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
      const all = [...records]
      for (const { index, payload, typeNumber, time, seq } of changes) {
        const known = all[index]
        if (known === undefined) continue
        all[index] = {
          seq: seq ?? known.seq,
          time: time ?? known.time,
          typeNumber: typeNumber ?? known.typeNumber,
          payload,
        }
      }
      const bytes = all.flatMap((record) => [encodeRecordHeader(record), record.payload])
      return Buffer.concat([encodeFileHeader(), ...bytes])
    })
    await withstand({ home, kind: 'logs of wrong fields' }, log, async (bytes, id) =>
      readPlanted(id + 1e6, named, bytes),
    )
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'manifests: whatever one says, it is read or reported',
  async () => {
    const keys = Object.keys(JSON.parse(String(formerManifest())) as object)
    const fields = fc
      .dictionary(fc.oneof(fc.constantFrom(...keys), oddText), oddValue, { minKeys: 1, maxKeys: 3 })
      .map(
        (given) => (session: string) =>
          JSON.stringify({ ...(JSON.parse(named(session)) as object), ...given }),
      )
    const bytes = mutated(formerManifest()).map((text) => () => text)
    await withstand({ home, kind: 'manifests' }, fc.oneof(fields, bytes), async (manifest, id) =>
      readPlanted(id + 2e6, manifest, formerLog()),
    )
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'config.json: it is taken or refused',
  () => {
    const folder = fs.mkdtempSync(path.join(home.root, 'config-'))
    const known = { session: { cols: 80, rows: 24 }, quota: { policy: 'pause' }, log: {}, host: {} }
    const group = fc.dictionary(fc.oneof(fc.constantFrom('cols', 'policy', 'idle_ms'), oddText), oddValue)
    const content = fc.oneof(
      fc.dictionary(fc.constantFrom(...Object.keys(known)), fc.oneof(group, oddValue)).map(jsonBytes),
      oddValue.map(jsonBytes),
      mutated(jsonBytes(known)),
    )
    fc.assert(
      fc.property(content, (bytes) => {
        fs.writeFileSync(path.join(folder, 'config.json'), bytes)
        expectTyped(() => readConfig(Home.at(folder)))
      }),
      { numRuns: CASES },
    )
  },
  FUZZ_TIMEOUT_MS,
)

const context = { env: {}, cwd: '/', readText: () => 'text', public: true }
const flag = fc.constantFrom(...COMMANDS.flatMap(({ params }) => params.map(({ name }) => `--${name}`)))
const word = fc.oneof(
  oddText,
  flag.map((name) => name.replaceAll('_', '-')),
  fc.tuple(flag, oddText).map(([name, value]) => `${name.replaceAll('_', '-')}=${value}`),
  oddNumber.map(String),
  fc.constantFrom('--json', '--help', '--debug', '--home', '-h', '-'),
)
const argv = fc
  .tuple(fc.oneof(fc.constantFrom(...COMMANDS.map(({ command }) => command)), oddText), fc.array(word))
  .map(([command, words]) => [...command.split(' '), ...words])

test(
  'batches: a script or JSON is taken or refused',
  () => {
    const line = argv.map((words) => words.map((each) => `'${each}'`).join(' '))
    const text = fc.oneof(
      fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n')),
      fc.array(oddText, { maxLength: 4 }).map((words) => words.join(' ')),
      oddValue.map((value) => JSON.stringify(value)),
      fc.array(oddValue).map((steps) => JSON.stringify({ steps })),
      mutated(Buffer.from('[{"step":"type","text":"a"},\n{"step":"wait","text":"b"}]')).map(String),
      mutated(Buffer.from(`type 'a b' --enter # c\nwait --text "d\\u{1f600}"`)).map(String),
    )
    fc.assert(
      fc.property(text, (batch) => expectTyped(() => parseBatch(batch, 'batch', COMMANDS, context))),
      { numRuns: CASES },
    )
  },
  FUZZ_TIMEOUT_MS,
)

test(
  'command lines: each is read or refused',
  () => {
    fc.assert(
      fc.property(argv, (words) => expectTyped(() => parseArgv(words, COMMANDS, context))),
      { numRuns: CASES },
    )
  },
  FUZZ_TIMEOUT_MS,
)

/** Commands that end without a session to act on, a person or a browser. */
const RUN = ['list', 'inspect', 'snapshot', 'type', 'wait', 'batch', 'log verify', 'help', 'version', 'quota']
test(
  'command lines: the program itself ends with a code of the table',
  async () => {
    const lines = fc
      .tuple(fc.constantFrom(...RUN), fc.array(word, { maxLength: 4 }))
      .map(([command, words]) => [...command.split(' '), ...words])
      .filter((words) => words.every((each) => !each.includes('\0') && !each.startsWith('--home')))
    await withstand({ home, kind: 'runs of the CLI', cases: PROCESS_CASES }, lines, async (words) => {
      const { code, stdout, stderr } = await home.run(words)
      expectNoBug(stdout + stderr)
      expect([words, code, code === null || code === 70]).toEqual([words, code, false])
    })
  },
  FUZZ_TIMEOUT_MS,
)

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
