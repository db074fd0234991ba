import type { AwiCommand, CommandParam } from '@transom/protocol'
import { localCommandFields, localParam } from '../../cli/local-command.ts'

/** What `awi-tty` does without an agent socket. */
export const LOCAL_AWI_COMMANDS: readonly AwiCommand[] = [
  local({
    command: 'open',
    summary: 'Browse in this terminal; or, with --agent-socket, start a browser for agents.',
    description:
      'With --agent-socket the page is an ordinary web session of the Home: "transom list", "transom snapshot" and "transom replay" show it, while it runs and afterwards. In the terminal: Ctrl+L address, Alt+Left and Alt+Right back and forward, Ctrl+R reload, Ctrl+Q quit. HOST is a name, *.name, an address or a block such as 10.0.0.0/8, each also with :PORT.',
    examples: [
      'awi-tty open https://example.com/',
      'awi-tty open https://example.com/ --agent-socket /tmp/web.sock',
      'awi-tty open http://localhost:8080/ --agent-socket --allow-host localhost:8080 --zoom 130',
    ],
    positionals: ['url'],
    params: [
      localParam({
        name: 'url',
        type: 'string',
        placeholder: 'URL',
        description: 'The page to begin with.',
      }),
      option(
        'agent-socket',
        'optional',
        'PATH',
        'Serve agents there until interrupted; without a path, at the default place.',
      ),
      option('cols', 'integer', 'N', 'Columns of cells, with --agent-socket (140).'),
      option('rows', 'integer', 'N', 'Rows of cells, with --agent-socket (45).'),
      option('zoom', 'integer', 'N', 'Percent: 130 shows everything larger.'),
      option(
        'allow-host',
        'list',
        'HOST',
        'Pages may reach this host of this machine or its network (repeatable).',
      ),
      option('only-host', 'list', 'HOST', 'Pages and frames come from this host alone (repeatable).'),
      option(
        'profile',
        'string',
        'DIR',
        'A folder that keeps cookies and logins; without it nothing is kept.',
      ),
      option(
        'home',
        'string',
        'DIR',
        'The Home of the session. Without it: with --agent-socket TRANSOM_HOME or ~/.transom; for a person, nothing is recorded.',
      ),
      option(
        'debug',
        'boolean',
        null,
        'With --agent-socket, say on standard error what is asked: ids, durations, errors.',
      ),
    ],
  }),
  local({
    command: 'install-browser',
    summary: 'Fetch a Chromium from the npm registry, where the system has none.',
    examples: ['awi-tty install-browser'],
    plain: 'path',
  }),
]

type GivenCommand = Pick<AwiCommand, 'command' | 'summary' | 'examples'> & Partial<AwiCommand>

function local(given: GivenCommand): AwiCommand {
  return {
    ...localCommandFields,
    operation: `cli.${given.command}`,
    method: null,
    fixed: null,
    plain: null,
    local: (given.params ?? []).map(({ name }) => name),
    ...given,
  }
}

function option(
  flag: string,
  type: CommandParam['type'],
  placeholder: string | null,
  description: string,
): CommandParam {
  return localParam({ name: flag.replaceAll('-', '_'), flag, type, placeholder, description })
}
