import type { ProgramHelp } from '../../cli/help.ts'

/** What the help of `awi-tty` says beside its commands. */
export const AWI_HELP: ProgramHelp = {
  program: 'awi-tty',
  summary: 'A web browser for agents: pages as text on a grid of cells.',
  start: 'An agent starts with "awi-tty open URL --agent-socket" and "awi-tty snapshot --plain".',
  examples: [
    'awi-tty open https://example.com/ --agent-socket /tmp/web.sock &',
    'export AWI_SOCK=/tmp/web.sock',
    'awi-tty snapshot --plain',
    'awi-tty send-key Tab && awi-tty send-key Enter',
    'awi-tty wait-for-frame-quiescence 500',
  ],
  options: [
    ['--socket PATH', 'The agent socket of the browser; see AWI_SOCK.'],
    ['--json', 'Print the result as JSON (the default).'],
    ['--plain', 'Print the text alone: a snapshot’s lines, a title.'],
    ['--quiet', 'Print nothing; the exit status tells.'],
    ['--help', 'Show this.'],
  ],
  environment: [
    ['AWI_SOCK', 'The agent socket, when --socket is not given.'],
    ['XDG_RUNTIME_DIR', 'Where it is else: carbonyl/agent.sock in it, or in /tmp/carbonyl-UID.'],
    ['AWI_CHROMIUM', 'The program to start as Chromium.'],
    ['TRANSOM_HOME', 'The Home of the sessions that "open --agent-socket" starts, when --home is not given.'],
  ],
  footer: [
    'Exit status: 0 done, 64 usage, 65 data (a URL, key or size that cannot be), 66 not found, 69 no browser,',
    '70 bug, 73 too often, 74 file or connection, 75 timeout, 77 not permitted.',
    'docs/AWI-TTY-AGENTS.md tells more.',
  ],
}
