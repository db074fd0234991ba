import type { CallOptions } from '@transom/client'
import type { Command, CommandParam, OperationName } from '@transom/protocol'
import type { HostFinder } from './host-connection.ts'
import type { GlobalFlags } from './parse-argv.ts'
import type { CliProcess } from './cli-process.ts'

/** A command that is more, or less, than one request to the host. The client itself carries it out. */
export interface LocalCommand extends Command {
  /** Not shown in help: for scripts that this program wrote itself. */
  readonly hidden: boolean
  /** Returns the exit status. */
  run(context: LocalContext): Promise<number> | number
}

export interface LocalContext {
  readonly cli: CliProcess
  readonly flags: GlobalFlags
  readonly params: Readonly<Record<string, unknown>>
  /** Every command that help shows. */
  readonly commands: readonly Command[]
  /** Where this Home's host is. Resolved only on demand: `version` needs no Home. */
  readonly host: () => HostFinder
  /** The whole of a text file, or of standard input for `-`. */
  readonly readText: (file: string) => string
  /** Calls an operation at the host, starting one where needed. */
  readonly call: (
    operation: OperationName,
    params: Readonly<Record<string, unknown>>,
    onProgress?: CallOptions['onProgress'],
  ) => Promise<unknown>
  /** A text that the build has made and put beside the programs (main/shipped-texts.ts). */
  readonly shippedText: (file: string) => string
  /** Another program of this package, loaded into this process. */
  readonly loadProgram: (file: string) => Promise<unknown>
  /** Prints the result: with --json the object, else the text. */
  readonly answer: (result: object, text: string) => void
}

type Given<T, K extends keyof T> = Pick<T, K> & Partial<T>
type GivenParam = Given<CommandParam, 'name' | 'type'>
/** A command of the table as the build writes it: without what is null, false or empty. */
export type CompactCommand = Given<
  Omit<Command, 'params'>,
  'operation' | 'command' | 'summary' | 'examples'
> & {
  readonly params?: readonly GivenParam[]
}

/** A local command with what is left out filled in. */
export function localCommand(
  given: Given<LocalCommand, 'command' | 'summary' | 'examples' | 'run'>,
): LocalCommand {
  return { ...localCommandFields, operation: `cli.${given.command}`, hidden: false, ...given }
}

/** A parameter with what is left out filled in. */
export function localParam(given: GivenParam): CommandParam {
  return { ...PARAM_DEFAULTS, ...given }
}

/** The session that a command is about, as the commands of the operation table take it. */
export function sessionParam(): CommandParam {
  return localParam({
    name: 'session',
    type: 'string',
    placeholder: 'SESSION',
    description: 'Session id, unique id prefix, or name.',
    required: true,
    from: '$TRANSOM_SESSION',
  })
}

/** A command of the operation table, as it was before the build took away what is null, false or empty. */
export function expandCommand(compact: CompactCommand): Command {
  return { ...localCommandFields, ...compact, params: (compact.params ?? []).map(localParam) }
}

/** What a command has that is left out. */
export const localCommandFields = {
  description: '',
  seeAlso: [],
  errors: [],
  positionals: [],
  rest: null,
  startsHost: false,
  needsHome: false,
  endsHost: false,
  isStep: false,
  render: null,
  notice: '',
  prints: null,
  params: [],
}

const PARAM_DEFAULTS = {
  flag: null,
  placeholder: null,
  description: '',
  required: false,
  default: null,
  from: null,
  readable: false,
  secretWith: null,
  values: null,
  limits: null,
  completes: null,
}
