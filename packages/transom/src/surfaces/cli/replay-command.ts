import * as path from 'node:path'
import type { Result } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { localCommand, localParam, sessionParam, type LocalContext } from './local-command.ts'
import { assertTerminal, runInTerminal } from './run-in-terminal.ts'

const IDLE_LIMIT_MS_DEFAULT = 2000

export const replayCommand = localCommand({
  command: 'replay',
  summary: 'Play what happened in a session, in this terminal.',
  description:
    'Plays a session that runs or has ended, from its Event Log alone. What is shown is drawn from the cells of its screen: nothing that a program printed reaches your terminal as it was. Space pauses, , and . step to the change before and behind, the arrow keys go 5 seconds back and on, [ and ] to the mark or block before and behind, + and - change the speed, 0 to 9 go to that tenth, Home and End to the start and the end, q leaves. Pauses longer than --idle-limit are cut. A screen that is larger than your terminal is cut off.',
  seeAlso: ['export', 'snapshot', 'mark'],
  examples: [
    'transom replay edit',
    "transom replay edit --at-mark 'before the upgrade' --paused",
    'transom replay edit --speed 4',
  ],
  errors: ['session_not_found', 'session_ambiguous', 'moment_not_found', 'log_corrupt', 'usage'],
  positionals: ['session'],
  startsHost: true,
  params: [
    sessionParam(),
    localParam({
      name: 'speed',
      type: 'string',
      flag: 'speed',
      placeholder: 'X',
      description: 'How many times faster than it happened.',
      default: '1',
    }),
    localParam({
      name: 'idle_limit_ms',
      type: 'duration',
      flag: 'idle-limit',
      placeholder: 'DURATION',
      description: 'Cut longer pauses to this: 2s, 500ms.',
      default: '2s',
    }),
    localParam({ name: 'paused', type: 'boolean', flag: 'paused', description: 'Begin with a pause.' }),
    localParam({
      name: 'at_seq',
      type: 'integer',
      flag: 'at-seq',
      placeholder: 'N',
      description: 'Begin at this record of the Event Log.',
    }),
    localParam({
      name: 'at_mark',
      type: 'string',
      flag: 'at-mark',
      placeholder: 'LABEL',
      description: 'Begin at the last mark with this label.',
    }),
    localParam({
      name: 'at_time',
      type: 'string',
      flag: 'at-time',
      placeholder: 'TIME',
      description: 'Begin at this time: ISO 8601, or milliseconds since 1970.',
    }),
  ],
  run: replay,
})

interface ReplayParams {
  readonly session: string
  readonly speed?: string
  readonly idle_limit_ms?: number
  readonly paused?: true
}

async function replay(context: LocalContext): Promise<number> {
  const { session, speed = '1', idle_limit_ms, paused, ...moment } = context.params as unknown as ReplayParams // as above
  if (!/^\d{1,2}(?:\.\d{1,3})?$/.test(speed) || Number(speed) === 0)
    throw new OpError('usage', `--speed needs a number such as 2 or 0.5 (got ${JSON.stringify(speed)})`, {
      speed,
    })
  assertTerminal(
    context,
    'replay plays in a terminal, and this is none; "transom export" makes a file, "transom snapshot --at-seq" shows one moment',
  )
  const { log } = (await context.call('session.inspect', { session })) as Result<'session.inspect'>
  const options = {
    speed: Number(speed),
    idleLimitMs: idle_limit_ms ?? IDLE_LIMIT_MS_DEFAULT,
    paused: paused ?? false,
    ...moment,
  }
  return runInTerminal(context, 'player.mjs', [path.dirname(log.path), JSON.stringify(options)])
}
