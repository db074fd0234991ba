import { AotuiError } from '../contract/aotui-error.ts'
import type { FromApp } from '../contract/app-message.ts'
import type { Chunk } from '../contract/fragment.ts'

/**
 * An app process is not trusted to keep to the contract: its code could speak on the channel itself. What it sends is
 * checked here before anything of it can be shown. The honest transform writes every `<` as an entity and makes no
 * link but one to an entity, so a chunk that holds more was forged.
 */
export function checkFromApp(message: FromApp): void {
  if (message.type === 'fragment') {
    const { splice, operations, entities } = message
    require(Array.isArray(splice.chunks) && splice.chunks.length <= CHUNKS_MAX, 'splice')
    require(isCount(splice.from) && isCount(splice.removeCount), 'splice')
    for (const chunk of splice.chunks) checkChunk(chunk)
    for (const operation of operations ?? []) {
      require(ID.test(operation.id) && typeof operation.label === 'string', 'operation')
      require(operation.itemType === undefined || ID.test(operation.itemType), 'operation')
      require(Object.keys(operation.args ?? {}).every((name) => ARG.test(name)), 'operation')
    }
    for (const entity of entities ?? []) require(ID.test(entity.id) && ID.test(entity.type), 'entity')
  } else if (message.type === 'views') {
    require(Array.isArray(message.views) && message.views.length <= VIEWS_MAX, 'views')
    for (const view of message.views)
      require(typeof view.handle === 'string' && typeof view.name === 'string', 'views')
  } else if (message.type === 'log') {
    require(typeof message.text === 'string', 'log')
  }
}

const CHUNKS_MAX = 200_000
const VIEWS_MAX = 1000
const INDENT_MAX = 64 // lists inside lists inside lists
const ID = /^[A-Za-z_][\w.-]{0,99}$/
const ARG = /^[A-Za-z_][\w-]*$/

function checkChunk(chunk: Chunk): void {
  switch (chunk.kind) {
    case 'text':
      return checkText(chunk.text)
    case 'list':
      require(ID.test(chunk.id) &&
        ID.test(chunk.type) &&
        isCount(chunk.from) &&
        isCount(chunk.total) &&
        isIndent(chunk.indent), 'list')
      return checkText(chunk.title)
    case 'item':
      require(isIndent(chunk.indent) && optionalText(chunk.key) && optionalText(chunk.value), 'item')
      checkText(chunk.head)
      return checkText(chunk.rest)
    case 'end':
      return
    default:
      chunk satisfies never
      require(false, 'chunk')
  }
}

function checkText(text: string): void {
  require(typeof text === 'string' &&
    !text.includes('<') &&
    !/\]\((?!entity:[A-Za-z_][\w.-]*\))/.test(text), 'text')
}

function optionalText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 10_000_000
}

function isIndent(value: unknown): boolean {
  return isCount(value) && Number(value) <= INDENT_MAX
}

function require(holds: boolean, what: string): void {
  if (!holds)
    throw new AotuiError('E_INTERNAL', `the app process sent a malformed ${what}`, {
      reason: 'bad_app_message',
    })
}
