import type { Command, CommandParam } from '@transom/protocol'
import type { HostFinder } from './host-connection.ts'
import type { GlobalFlags } from './parse-argv.ts'
import type { CliProcess } from './run.ts'

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
  /** Where this Home's host is to be found. Not looked for before it is asked for: `version` needs no Home. */
  readonly host: () => HostFinder
  /** A text that the build has made and put beside the programs (main/shipped-texts.ts). */
  readonly shippedText: (file: string) => string
  /** Prints the result: with --json the object, else the text. */
  readonly answer: (result: object, text: string) => void
}

type Given = Pick<LocalCommand, 'command' | 'summary' | 'examples' | 'run'> & Partial<LocalCommand>

/** A local command with what is left out filled in. */
export function localCommand(given: Given): LocalCommand {
  return {
    operation: `cli.${given.command}`,
    description: '',
    seeAlso: [],
    errors: [],
    positionals: [],
    rest: null,
    startsHost: false,
    params: [],
    hidden: false,
    ...given,
  }
}

/** A parameter with what is left out filled in. */
export function localParam(given: Pick<CommandParam, 'name' | 'type'> & Partial<CommandParam>): CommandParam {
  return {
    flag: null,
    placeholder: null,
    description: '',
    required: false,
    default: null,
    from: null,
    readable: false,
    values: null,
    ...given,
  }
}
