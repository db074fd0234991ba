// @ts-check
import { BarePty } from '../bare-pty.mjs'
import { interleave, summarize, timeMs } from '../measure.mjs'

const PROMPT = 'ready-for-a-command '
const SHELL = ['bash', '--noprofile', '--norc', '--noediting', '-i']

/**
 * @typedef {import('../measure.mjs').Task} Task
 * @typedef {import('../workbench.mjs').Workbench} Workbench
 */

/**
 * A host's code is compiled while it runs: its first blocks take nearly twice as long as those after a thousand or two.
 * Both are told. What is judged is the host as it is for most of its life.
 * @type {import('../report.mjs').Row}
 */
export const blockPrompt = {
  name: 'block-prompt',
  async run(bench) {
    const block = await blockTask(bench)
    const bare = await bareShellTask(bench)
    const rounds = bench.rounds(4000, 800)
    const samples = await interleave(rounds, { block, bare: bare.task }, (round) =>
      bench.progress(`block ${round}`),
    )
    bare.close()
    const what = "exec_block ':' and wait_for(PROMPT) over an open socket"
    /** @param {string} which @param {number} from @param {number} to */
    const line = (which, from, to) => ({
      what: `${what}, ${which}`,
      unit: 'ms',
      measured: summarize(samples.block.slice(from, to)),
      baseline: {
        what: "':' → prompt of a shell on a bare pty",
        summary: summarize(samples.bare.slice(from, to)),
      },
    })
    const warm = line(`after ${rounds / 2} blocks`, rounds / 2, rounds)
    const fresh = line(`the first ${rounds / 8} blocks of a host`, 0, rounds / 8)
    return [
      { ...warm, target: { of: 'value', max: 1 } },
      { ...warm, target: { of: 'ratio', max: 8 } },
      { ...fresh, target: null },
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
