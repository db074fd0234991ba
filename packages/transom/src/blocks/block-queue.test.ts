import { describe, expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { BlockQueue, type BlockShell } from './block-queue.ts'

const WRITER = { actor: { actor: 'test' }, right: null }
const CWD = Buffer.from('/tmp')

/** A shell played by the test: it notes what it is given, and reports what a shell would. */
function setUp({ tellsTyped = true } = {}) {
  const facts: string[] = []
  const given: string[] = []
  const timers: (() => void)[] = []
  const state = { refuses: false, inFront: true }
  const shell: BlockShell = {
    session: 's',
    facts: {
      begun: ({ ordinal, kind }) => facts.push(`begin ${kind} ${ordinal}`),
      ended: ({ ordinal, exit_code, ended_by }) => facts.push(`end ${ordinal} ${exit_code} ${ended_by}`),
      prompted: ({ exit_code }) => facts.push(`prompt ${exit_code}`),
    },
    give: (_request, { command }) => {
      if (state.refuses) throw new OpError('disk_full', 'no space is left')
      given.push(command)
    },
    tellsTyped,
    isInFront: () => state.inFront,
    foreignShell: () => null,
    shown: () => '',
    taken: () => {},
    done: () => {},
    restore: (halfTyped) => given.push(`restore ${halfTyped.toString()}`),
    timeout: (_ms, callback) => {
      timers.push(callback)
      return () => timers.splice(timers.indexOf(callback), 1)
    },
  }
  const queue = new BlockQueue(shell, { last: 0 })
  const prompt = () => {
    queue.take({ kind: 'prompt', exitCode: 0 })
    queue.advance()
  }
  const ask = (command: string, wait = false) =>
    queue.accept({ command, kind: 'block', writer: WRITER, cwd: null, stdin: null, queue: wait })
  return { queue, prompt, ask, facts, given, timers, state }
}

describe('what a shell is asked to run', () => {
  test('leaves a half-typed line at the prompt', () => {
    const { queue, prompt, ask, given } = setUp()
    const run = (ordinal: number) => {
      queue.take({ kind: 'begin', request: ordinal })
      queue.take({ kind: 'end', exitCode: 0, cwd: CWD })
      prompt()
    }
    prompt()
    queue.typed(Buffer.from('echo '))
    queue.typed(Buffer.from('half'))
    ask('one')
    ask('two', true)
    run(1)
    run(2)
    expect(given).toEqual(['one', 'two', 'restore echo half'])
    ask('three')
    run(3)
    expect(given.slice(3)).toEqual(['three', 'restore echo half'])
    queue.lineEntered()
    prompt()
    ask('four')
    run(4)
    expect(given.slice(5)).toEqual(['four'])
  })

  test('leaves what was typed before the prompt was there', () => {
    const { queue, prompt, ask, given } = setUp()
    const end = (ordinal: number) => {
      queue.take({ kind: 'begin', request: ordinal })
      queue.typed(Buffer.from('to the program'))
      queue.take({ kind: 'end', exitCode: 0, cwd: CWD })
    }
    prompt()
    ask('one')
    end(1)
    queue.typed(Buffer.from('half'))
    ask('two')
    queue.typed(Buffer.from('-typed'))
    prompt()
    queue.typed(Buffer.from('to the next program'))
    end(2)
    prompt()
    expect(given).toEqual(['one', 'two', 'restore half-typed'])
  })

  test('is given at its prompt, one after another', () => {
    const { queue, prompt, ask, facts, given } = setUp()
    ask('one')
    ask('two', true)
    expect([given, queue.mode, queue.queuedCount]).toEqual([[], 'block_running', 1])
    prompt()
    expect(given).toEqual(['one'])
    queue.take({ kind: 'begin', request: 1 })
    queue.take({ kind: 'end', exitCode: 7, cwd: CWD })
    prompt()
    expect([given, facts]).toEqual([
      ['one', 'two'],
      ['prompt 0', 'begin block 1', 'end 1 7 shell', 'prompt 0'],
    ])
  })

  test('is refused while the shell is busy, unless it may wait', () => {
    const { queue, prompt, ask } = setUp()
    prompt()
    ask('one')
    queue.take({ kind: 'begin', request: 1 })
    expect(() => ask('two')).toThrow(/is running "one"/)
    expect(ask('two', true).queued).toBe(true)
  })

  test('waits while a typed line is at work, and comes when the shell keeps the line', () => {
    const { queue, prompt, ask, given, timers } = setUp()
    prompt()
    queue.lineEntered()
    expect(queue.mode).toBe('block_running')
    expect(() => ask('one')).toThrow(/a line that was typed/)
    ask('one', true)
    timers[0]?.()
    expect([given, queue.mode]).toEqual([['one'], 'block_running'])
  })

  test('a mark ends the watch of a typed line', () => {
    const { queue, prompt, timers } = setUp()
    prompt()
    queue.lineEntered()
    queue.take({ kind: 'typed', command: Buffer.from('ls'), cwd: CWD })
    expect([timers, queue.active?.kind]).toEqual([[], 'typed'])
  })

  test('ends with the shell, and waiting blocks report why they did not begin', () => {
    const { queue, prompt, ask, facts } = setUp()
    prompt()
    ask('one')
    queue.take({ kind: 'begin', request: 1 })
    const { id } = ask('two', true)
    queue.shellEnded(3)
    expect(facts.at(-1)).toBe('end 1 3 exit')
    expect([queue.isWaiting(id), queue.whyFailed(id)]).toEqual([false, 'the shell ended before it began'])
  })

  test('that could not be given is given up with the reason, and those are forgotten in time', () => {
    const { queue, prompt, ask, state } = setUp()
    state.refuses = true
    const first = ask('first')
    prompt()
    expect(queue.whyFailed(first.id)).toBe('no space is left')
    for (let count = 0; count < 1000; count++) {
      queue.take({ kind: 'end', exitCode: 0, cwd: CWD }) // away from the prompt: the next one waits
      ask('next')
      prompt()
    }
    expect(queue.whyFailed(first.id)).toBeNull()
    expect(queue.whyFailed('s-1001')).toBe('no space is left')
  })
})
