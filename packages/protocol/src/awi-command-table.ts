import { z } from 'zod'
import type { AwiSpelling } from './awi.ts'
import { AWI_METHODS, type TabledAwiMethod } from './awi-methods.ts'
import { commandParams, type Command, type CommandParam } from './command-table.ts'
import type { OperationDefinition } from './operation.ts'
import { OPERATIONS } from './operations.ts'

/** A command of `awi-tty`. A parameter with a dot in its name is a part of an object: `from.row`. */
export interface AwiCommand extends Command {
  /** The method that it calls; null for what is done without an agent socket. */
  readonly method: string | null
  /** Parameters that the command's name implies. */
  readonly fixed: Readonly<Record<string, unknown>> | null
  /** The one value of the result that --plain prints. */
  readonly plain: string | null
  /** The parameters that are used here and not sent. */
  readonly local: readonly string[]
}

/** The commands of `awi-tty` as plain data, derived from the operation table as commandTable() is. */
export function awiCommandTable(): AwiCommand[] {
  return [...AWI_METHODS.values()].flatMap((method) =>
    method.cli.map((spelling) => command(method, spelling)),
  )
}

function command(method: TabledAwiMethod, spelling: AwiSpelling): AwiCommand {
  const { positionals = [], local, fixed = null, plain = null, examples } = spelling
  const { errors }: OperationDefinition = OPERATIONS[method.operation as keyof typeof OPERATIONS]
  const place = new Set(positionals)
  const sent = commandParams(flattened(method.params), place).filter(
    ({ name }) => fixed === null || !Object.hasOwn(fixed, name),
  )
  const own = local === undefined ? [] : commandParams(local, place)
  const isOwn = (param: CommandParam) => own.some(({ name }) => name === param.name)
  return {
    operation: method.operation,
    method: method.method,
    command: spelling.command ?? method.method.replaceAll('_', '-'),
    summary: spelling.summary ?? method.summary,
    description: '',
    seeAlso: [],
    errors,
    positionals,
    rest: null,
    examples,
    startsHost: false,
    needsHome: false,
    endsHost: false,
    isStep: false,
    render: null,
    notice: '',
    prints: null,
    params: [...sent.filter((param) => !isOwn(param)), ...own],
    fixed,
    plain,
    local: own.map(({ name }) => name),
  }
}

/** The fields of objects as parameters of their own. */
function flattened({ shape }: z.ZodObject): z.ZodObject {
  const flat = Object.entries<z.ZodType>(shape).flatMap(([name, schema]): [string, z.ZodType][] => {
    const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
    if (!(inner instanceof z.ZodObject)) return [[name, schema]]
    return Object.entries<z.ZodType>(inner.shape).map(([part, it]) => [`${name}.${part}`, it])
  })
  return z.object(Object.fromEntries(flat))
}
