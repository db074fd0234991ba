/** What a client reads of the tools before it calls one. */
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ToolSet } from '@transom/protocol'
import { LinkedMcp } from '../../../../../test/support/linked-mcp.ts'
import { CHARS_PER_TOKEN } from './answer-budget.ts'

interface Listed {
  readonly name: string
  readonly inputSchema: { readonly properties: Record<string, { items?: { anyOf?: object[] } }> }
  readonly annotations: Record<string, boolean>
}

let mcp: LinkedMcp

beforeEach(() => {
  mcp = new LinkedMcp(() => InMemoryTransport.createLinkedPair())
})

afterEach(() => mcp[Symbol.dispose]())

async function list(set: ToolSet = 'transom'): Promise<Listed[]> {
  return (await mcp.request<{ tools: Listed[] }>('tools/list', {}, set)).tools
}

describe('the annotations are honest', () => {
  const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
  const ACTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

  test('what is typed, clicked or run may destroy anything, and what is read comes from anywhere', async () => {
    const hints = Object.fromEntries((await list()).map(({ name, annotations }) => [name, annotations]))
    expect(hints).toEqual({
      create_session: ACTS,
      run_command: ACTS,
      interact: ACTS,
      type_text: ACTS,
      press_keys: ACTS,
      paste_text: ACTS,
      use_mouse: ACTS,
      open_page: ACTS,
      answer_dialog: ACTS,
      wait_for: READS,
      read_screen: READS,
      read_block: READS,
      list_links: READS,
      list_sessions: { ...READS, openWorldHint: false },
      take_screenshot: { ...ACTS, destructiveHint: false },
      destroy_session: { ...ACTS, idempotentHint: true, openWorldHint: false },
    })
  })

  test('so are those of conversations', async () => {
    const tools = await list('pty')
    const namesWith = (hints: object) =>
      tools
        .filter(({ annotations }) => JSON.stringify(annotations) === JSON.stringify(hints))
        .map(({ name }) => name)
    expect(namesWith(READS)).toEqual(['wait_for', 'status', 'blocks', 'read'])
    expect(namesWith(ACTS)).toHaveLength(tools.length - 4)
  })
})

test('the list takes at most 4,500 tokens', async () => {
  for (const set of ['transom', 'pty'] as const)
    expect(JSON.stringify({ tools: await list(set) }).length).toBeLessThan(4500 * CHARS_PER_TOKEN)
})

test('each step of interact has a schema of its own', async () => {
  const steps = (await list()).find(({ name }) => name === 'interact')?.inputSchema.properties['steps']?.items
    ?.anyOf
  expect(steps).toContainEqual({
    properties: {
      step: { const: 'type' },
      text: { type: 'string' },
      secret: { type: 'boolean' },
      enter: { type: 'boolean' },
    },
    required: ['step', 'text'],
  })
  expect(steps).toHaveLength(12)
})
