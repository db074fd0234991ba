// @ts-check
import { BarePty } from '../bare-pty.mjs'
import { interleave, summarize, timeMs } from '../measure.mjs'

const PROMPT = 'ready-for-a-command '
const SHELL = ['bash', '--noprofile', '--norc', '--noediting', '-i']

/**
 * @typedef {import('../measure.mjs').Task} Task
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 */

/** @type {import('../report.mjs').Row} */
export const blockPrompt = {
  name: 'block-prompt',
  async run(bench) {
    const block = await blockTask(bench)
    const bare = await bareShellTask(bench)
    const samples = await interleave(bench.rounds(1000, 200), { block, bare: bare.task }, (round) =>
      bench.progress(`block ${round}`),
    )
    bare.close()
    const what = "exec_block ':' and wait_for(PROMPT) over an open socket"
    const measured = summarize(samples.block)
    const baseline = { what: "':' → prompt of a shell on a bare pty", summary: summarize(samples.bare) }
    return [
      { what, unit: 'ms', measured, baseline, target: { of: 'value', max: 1 } },
      { what, unit: 'ms', measured, baseline, target: { of: 'ratio', max: 8 } },
    ]
  },
}

/**
 * @param {Workbench} bench
 * @returns {Promise<Task>}
 */
async function blockTask(bench) {
  const home = await bench.openHome()
  const client = await home.connect()
  const conversation_id = 'bench'
  return async () =>
    timeMs(async () => {
      const { cursor } = await client.call('pty.exec_block', { conversation_id, command: ':' })
      const { matched } = await client.call('pty.wait_for', {
        conversation_id,
        match: 'PROMPT',
        from_cursor: cursor,
      })
      if (!matched) throw new Error('the prompt did not come back')
    })
}

/**
 * What the shell and the kernel need, without anything of ours.
 * @param {Workbench} bench
 * @returns {Promise<{ task: Task, close: () => void }>}
 */
async function bareShellTask(bench) {
  let text = ''
  let onPrompt = () => {}
  const nextPrompt = async () =>
    new Promise((/** @type {(_: void) => void} */ resolve) => (onPrompt = resolve))
  const first = nextPrompt()
  const pty = new BarePty({
    command: SHELL,
    env: { ...bench.env, PS1: PROMPT },
    onData: (chunk) => {
      text += chunk.toString('latin1')
      if (!text.endsWith(PROMPT)) return
      text = ''
      onPrompt()
    },
  })
  bench.defer(() => pty.close())
  await first
  const task = async () =>
    timeMs(async () => {
      const prompt = nextPrompt()
      pty.write(':\n')
      await prompt
    })
  return { task, close: () => pty.close() }
}
