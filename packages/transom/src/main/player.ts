/** `node player.mjs FOLDER OPTIONS`: plays the Event Log of a session in the terminal it runs in. Started by `transom replay`. */
import { ERROR_TABLE, toWireError } from '@transom/protocol/errors'
import { StoredEvents } from '../log/stored-events.ts'
import { readCommands } from '../evidence/player/player-keys.ts'
import { ENTER_PLAYER, LEAVE_PLAYER, PlayerView } from '../evidence/player/player-view.ts'
import { Playback, type PlayerCommand } from '../evidence/player/playback.ts'
import { Tape, TapeHead } from '../evidence/player/tape.ts'
import { momentOf, seqOfMoment } from '../evidence/replay/moment.ts'
import { knownKinds } from './kinds.ts'

/** What `transom replay` passes on. */
interface PlayerOptions {
  readonly speed: number
  readonly idleLimitMs: number
  readonly paused: boolean
  readonly at_seq?: number
  readonly at_mark?: string
  readonly at_time?: string
}

const FRAME_MS = 16 // no screen shows more
const { stdin, stdout } = process

try {
  const options = JSON.parse(process.argv[3] ?? '{}') as PlayerOptions // written by cli/replay-command.ts
  await play(process.argv[2] ?? '', options)
} catch (error) {
  const { code, message } = toWireError(error)
  process.stderr.write(`transom: ${message}\n`)
  process.exitCode = ERROR_TABLE[code].exit
}
process.exit()

async function play(folder: string, options: PlayerOptions): Promise<void> {
  const events = StoredEvents.at(folder)
  const log = { events, kinds: knownKinds() }
  const tape = await Tape.open(log, options.idleLimitMs)
  const head = new TapeHead(tape)
  const playback = new Playback(tape, head, { speed: options.speed, playing: !options.paused })
  const moment = momentOf(options)
  const start =
    moment === null ? 1 : tape.placeOfSeq(await seqOfMoment(events, moment, new AbortController().signal))
  await playback.seek(start)
  const view = new PlayerView(tape, head, playback)
  const draw = () => stdout.write(view.draw({ cols: stdout.columns, rows: stdout.rows }))
  stdout.write(ENTER_PLAYER)
  stdin.setRawMode(true)
  try {
    await run(playback, draw)
  } finally {
    stdin.setRawMode(false)
    stdout.write(LEAVE_PLAYER)
  }
}

/** Until the viewer quits, or is gone. */
async function run(playback: Playback, draw: () => void): Promise<void> {
  const wanted: PlayerCommand[] = []
  let wake: () => void = () => {}
  const ask = (...commands: PlayerCommand[]) => {
    wanted.push(...commands)
    wake()
  }
  stdin.setEncoding('utf8').on('data', (input: string) => ask(...readCommands(input)))
  stdin.on('end', () => ask('quit'))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => ask('quit'))
  stdout.on('resize', () => wake())
  stdout.on('error', () => ask('quit'))
  for (let lastMs = performance.now(); ;) {
    const nowMs = performance.now()
    const dueMs = await playback.advance(nowMs - lastMs)
    lastMs = nowMs
    draw()
    const pause = wanted.length > 0 ? null : new Promise<void>((resolve) => (wake = resolve))
    if (pause !== null) {
      const timer = dueMs === null ? undefined : setTimeout(() => wake(), Math.max(FRAME_MS, dueMs))
      await pause
      clearTimeout(timer)
    }
    for (const command of wanted.splice(0)) {
      if (command === 'quit') return
      const isPlaying = playback.playing
      await playback.command(command)
      if (!isPlaying) lastMs = performance.now() // the time of the pause is not played
    }
  }
}
