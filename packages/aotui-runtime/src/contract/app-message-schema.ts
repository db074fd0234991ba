import { ERROR_TABLE, type AotuiErrorCode, type WireError } from './aotui-error.ts'
import type { AppData, FragmentMessage, FromApp, Outcome, ViewInfo } from './app-message.ts'
import type { ArgSpec, ArgSpecs, ArgType, Chunk, EntityInfo, OperationInfo } from './fragment.ts'
import * as limits from './limits.ts'
import {
  constant,
  count,
  finite,
  flag,
  jsonText,
  list,
  object,
  oneOf,
  optional,
  record,
  scalar,
  SchemaError,
  text,
  variant,
  type Schema,
} from './schema.ts'

/**
 * What an app process may say. Its code can write to the channel itself, so every message is hostile input: it is
 * decoded into fresh objects of known shape and size, or it ends the process. The text in it is escaped later, where it
 * is written.
 */
export const decodeFromApp: Schema<FromApp> = (value) => fromApp(value)

const cutText = (charsMax: number) => text(charsMax + limits.CUT_NOTE_CHARS_MAX)
const id = text(100, limits.ID_PATTERN)
const app = text(20, /^app_\d{1,9}$/)
const handle = text(limits.HANDLE_CHARS_MAX)
const key = optional(text(limits.KEY_CHARS_MAX))
const value = optional(text(limits.VALUE_CHARS_MAX))
const ambiguous = optional(constant(true))
const indent = count(limits.INDENT_MAX)
const ITEMS_MAX = 10_000_000 // a list has this many items at most; only its window is sent

const chunk: Schema<Chunk> = variant<Chunk>('kind', {
  text: object({ kind: constant('text'), text: cutText(limits.TEXT_CHARS_MAX) }),
  code: object({
    kind: constant('code'),
    text: cutText(limits.TEXT_CHARS_MAX),
    language: text(30),
    indent,
  }),
  list: object({
    kind: constant('list'),
    id,
    type: id,
    title: cutText(limits.TITLE_CHARS_MAX),
    from: count(ITEMS_MAX),
    total: count(ITEMS_MAX),
    indent,
  }),
  item: object({
    kind: constant('item'),
    head: cutText(limits.HEAD_CHARS_MAX),
    rest: cutText(limits.TEXT_CHARS_MAX),
    indent,
    key,
    value,
  }),
  end: object({ kind: constant('end') }),
})

const argType: Schema<ArgType> = (given) => argTypeAt(0)(given)

/** Types hold types. Each level has a schema of its own, so that the depth is bounded. */
function argTypeAt(depth: number): Schema<ArgType> {
  const known = argTypes[depth]
  if (known !== undefined) return known
  if (depth > limits.ARG_DEPTH_MAX) throw new SchemaError(`is nested deeper than ${limits.ARG_DEPTH_MAX}`)
  const inner: Schema<ArgType> = (given) => argTypeAt(depth + 1)(given)
  const made = variant<ArgType>('kind', {
    any: object({ kind: constant('any') }),
    string: object({
      kind: constant('string'),
      lengthMin: optional(finite),
      lengthMax: optional(finite),
    }),
    number: object({
      kind: constant('number'),
      integer: flag,
      min: optional(finite),
      max: optional(finite),
    }),
    boolean: object({ kind: constant('boolean') }),
    enum: object({
      kind: constant('enum'),
      values: list(scalar(limits.ENUM_CHARS_MAX), limits.ENUM_VALUES_MAX),
    }),
    item: object({ kind: constant('item'), itemType: id }),
    array: object({
      kind: constant('array'),
      element: inner,
      countMin: optional(finite),
      countMax: optional(finite),
    }),
    object: object({ kind: constant('object'), fields: argSpecs(inner), open: flag }),
  })
  argTypes[depth] = made
  return made
}
const argTypes: Schema<ArgType>[] = []

function argSpecs(type: Schema<ArgType>): Schema<ArgSpecs> {
  const spec: Schema<ArgSpec> = object({
    type,
    optional: flag,
    short: optional(text(1, /^[A-Za-z]$/)),
    description: optional(cutText(limits.DESCRIPTION_CHARS_MAX)),
  })
  return record({ key: limits.ARG_NAME_PATTERN, value: spec, countMax: limits.ARGS_MAX })
}

const operation: Schema<OperationInfo> = object({
  id,
  label: cutText(limits.LABEL_CHARS_MAX),
  args: optional(argSpecs(argType)),
  itemType: optional(id),
  ambiguous,
})

const entity: Schema<EntityInfo> = object({ id, type: id, key, value, ambiguous })

const fragment: Schema<FragmentMessage> = object({
  type: constant('fragment'),
  app,
  view: handle,
  version: count(),
  splice: object({
    from: count(limits.CHUNKS_MAX),
    removeCount: count(limits.CHUNKS_MAX),
    chunks: list(chunk, limits.CHUNKS_MAX),
  }),
  operations: optional(list(operation, limits.OPERATIONS_MAX)),
  entities: optional(list(entity, limits.ENTITIES_MAX)),
})

export const wireError: Schema<WireError> = object({
  code: oneOf(Object.keys(ERROR_TABLE) as AotuiErrorCode[]),
  message: cutText(limits.ERROR_CHARS_MAX),
  data: record({ key: /^\w{1,40}$/, value: scalar(limits.ERROR_CHARS_MAX), countMax: 20 }),
})

const appData: Schema<AppData> = variant<AppData>('kind', {
  none: object({ kind: constant('none') }),
  same: object({ kind: constant('same') }),
  data: object({ kind: constant('data'), json: jsonText(limits.APP_DATA_CHARS_MAX) }),
  failed: object({ kind: constant('failed'), error: wireError }),
})

const done: Schema<Outcome> = object({
  ok: constant(true),
  settled: flag,
  warnings: list(text(200), limits.WARNINGS_MAX),
  appData,
  result: optional(jsonText(limits.APP_DATA_CHARS_MAX)),
})
const notDone: Schema<Outcome> = object({ ok: constant(false), error: wireError, appData })
const outcome: Schema<Outcome> = (given) => (isDone(given) ? done(given) : notDone(given))

function isDone(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'ok' in given && given.ok === true
}

const view: Schema<ViewInfo> = object({
  handle,
  name: text(limits.VIEW_NAME_CHARS_MAX),
  state: oneOf(['mounted', 'dismounted', 'absent']),
})

const fromApp: Schema<FromApp> = variant<FromApp>('type', {
  up: object({ type: constant('up') }),
  ready: object({ type: constant('ready'), app, hooks: flag, appData }),
  failed: object({ type: constant('failed'), app, error: wireError }),
  views: object({ type: constant('views'), app, views: list(view, limits.VIEWS_MAX) }),
  fragment,
  pushed: object({ type: constant('pushed'), app, appData }),
  ack: object({ type: constant('ack'), app, seq: count(), outcome }),
  log: object({
    type: constant('log'),
    app,
    log: oneOf(['app', 'developer']),
    level: oneOf(['info', 'warning', 'error']),
    text: text(limits.LOG_CHARS_MAX),
    at: optional(text(500)),
  }),
  pong: object({ type: constant('pong'), seq: count() }),
  net: object({ type: constant('net'), seq: count(), host: text(300), port: count(65_535) }),
})
