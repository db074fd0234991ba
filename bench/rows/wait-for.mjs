// @ts-check
import * as fs from 'node:fs'
import * as path from 'node:path'
import { interleave, summarize, timeMs } from '../measure.mjs'

const MEGABYTE = 1_000_000
const READ_BYTES = 256 << 10
const ABSENT = 'this text is nowhere in it'
/** Exponential for an engine that backtracks, and still a thousand states for one that does not. */
const HOSTILE = '(?:a?){300}a{300}[bc]|(a|aa)+$x'

/**
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 * @typedef {import('../bench-home.mjs').BenchHome} BenchHome
 * @typedef {import('../bench-home.mjs').Client} Client
 */

/** @type {import('../report.mjs').Row} */
export const waitForText = {
  name: 'wait-for-text',
  async run(bench) {
    const megabytes = bench.rounds(100, 20)
    const home = await bench.openHome()
    const client = await home.connect()
    const file = path.join(bench.root, 'printed')
    fs.writeFileSync(file, lines(megabytes * MEGABYTE))
    bench.defer(() => fs.rmSync(file, { force: true }))
    bench.progress(`printing ${megabytes} MB`)
    const session = await printed(home, client, file)
    const samples = await interleave(bench.rounds(15, 5), {
      wait: () => search(client, session),
      file: () => timeMs(async () => searchFile(file)),
    })
    return [
      {
        what: `wait_for a text that is not in ${megabytes} MB of log`,
        unit: 'ms',
        measured: summarize(samples.wait),
        baseline: { what: 'the same in a raw file', summary: summarize(samples.file) },
        target: { of: 'value', max: megabytes }, // a gigabyte in a second
      },
    ]
  },
}

/** @type {import('../report.mjs').Row} */
export const waitForHostile = {
  name: 'wait-for-hostile',
  async run(bench) {
    const home = await bench.openHome()
    const client = await home.connect()
    const file = path.join(bench.root, 'hostile')
    fs.writeFileSync(file, 'a'.repeat(MEGABYTE))
    bench.defer(() => fs.rmSync(file, { force: true }))
    const session = await printed(home, client, file)
    const echo = await echoSession(home, client)
    const refuse = async () => timeMs(() => refused(client, session))
    const samples = await interleave(bench.rounds(30, 10), {
      refused: refuse,
      beside: async () => (await Promise.all([echo(), refuse()]))[0],
      idle: echo,
    })
    return [
      {
        what: 'a pattern made to be slow, over 1 MB: refused',
        unit: 'ms',
        measured: summarize(samples.refused),
        baseline: { what: 'type → echo in an idle host', summary: summarize(samples.idle) },
        target: { of: 'value', max: 100 },
      },
      {
        what: 'type → echo in another session meanwhile',
        unit: 'ms',
        measured: summarize(samples.beside),
        baseline: { what: 'in an idle host', summary: summarize(samples.idle) },
        target: { of: 'value', max: 100 },
      },
    ]
  },
}

/** @param {number} bytes */
function lines(bytes) {
  let text = ''
  for (let number = 0; text.length < bytes; number++) {
    text += `line ${number}: the quick brown fox jumps over the lazy dog\n`
  }
  return text.slice(0, bytes)
}

/**
 * A session that has printed a file and waits.
 * @param {BenchHome} home
 * @param {Client} client
 * @param {string} file
 */
async function printed(home, client, file) {
  const session = await home.create(client, [
    'sh',
    '-c',
    `cat "${file}"; echo; echo all-printed; cat >/dev/null`,
  ])
  await client.call('session.wait', { session, text: 'all-printed', timeout_ms: 120_000 })
  return session
}

/**
 * @param {Client} client
 * @param {string} conversation_id
 */
async function search(client, conversation_id) {
  return timeMs(async () => {
    const result = await client.call('pty.wait_for', {
      conversation_id,
      match: ABSENT,
      from_cursor: 0,
      timeout_ms: 0,
    })
    if (result.matched) throw new Error('it should not be there')
  })
}

/** @param {string} file */
function searchFile(file) {
  const fd = fs.openSync(file, 'r')
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  for (let at = 0; ;) {
    const bytes = fs.readSync(fd, buffer, 0, READ_BYTES, at)
    if (bytes === 0) break
    if (buffer.subarray(0, bytes).includes(ABSENT)) throw new Error('it should not be there')
    at += bytes
  }
  fs.closeSync(fd)
}

/**
 * @param {Client} client
 * @param {string} conversation_id
 */
async function refused(client, conversation_id) {
  const code = await client
    .call('pty.wait_for', { conversation_id, match: HOSTILE, regex: true, from_cursor: 0 })
    .then(
      () => 'answered',
      (error) => error.code,
    )
  if (code !== 'bad_pattern') throw new Error(`expected a refusal, got ${code}`)
}

/**
 * @param {BenchHome} home
 * @param {Client} client
 */
async function echoSession(home, client) {
  const session = await home.create(client, ['cat'])
  let count = 0
  return async () =>
    timeMs(async () => {
      const text = `typed-${++count}.`
      await client.call('session.type', { session, text })
      await client.call('session.wait', { session, text })
    })
}
