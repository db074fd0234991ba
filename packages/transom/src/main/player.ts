/** `node player.mjs FOLDER OPTIONS`: plays the Event Log of a session in the terminal it runs in. Started by `transom replay`. */
import { ERROR_TABLE, toWireError } from '@transom/protocol/errors'
import type { TerminalEvent } from '@transom/tui'
import { OwnTerminal } from '@transom/tui/node'
import { terminalSafe } from '../lib/terminal-safe.ts'
import { StoredEvents } from '../log/stored-events.ts'
import { commandOf } from '../evidence/player/player-keys.ts'
import { PlayerView } from '../evidence/player/player-view.ts'
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

try {
  const options = JSON.parse(process.argv[3] ?? '{}') as PlayerOptions // written by cli/replay-command.ts
  await play(process.argv[2] ?? '', options)
} catch (error) {
  const { code, message } = toWireError(error)
  process.stderr.write(`transom: ${terminalSafe(message)}\n`)
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
  await run(playback, new PlayerView(tape, head, playback))
}

/** Runs until the viewer quits or its terminal closes. */
async function run(playback: Playback, view: PlayerView): Promise<void> {
  const wanted: PlayerCommand[] = []
  let wake: () => void = () => {}
  const ask = (command: PlayerCommand) => {
    wanted.push(command)
    wake()
  }
  const onEvent = (event: TerminalEvent) => {
    const command = event.type === 'key' ? commandOf(event.name) : null
    if (event.type === 'end') ask('quit')
    else if (command !== null) ask(command)
    else if (event.type === 'resize') wake()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => ask('quit'))
  const terminal = OwnTerminal.take({ env: process.env })
  try {
    terminal.listen(onEvent)
    for (let lastMs = performance.now(); ;) {
      const nowMs = performance.now()
      const dueMs = await playback.advance(nowMs - lastMs)
      lastMs = nowMs
      const { grid, cursor } = view.compose(terminal.cols, terminal.rows)
      terminal.show(grid, cursor)
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
  } finally {
    terminal.restore()
  }
}
