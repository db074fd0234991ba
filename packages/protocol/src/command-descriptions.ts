import type { OperationName } from './operations.ts'

export interface CommandDescription {
  /** What the summary leaves out, in a paragraph. */
  readonly text: string
  /** Commands that a reader of this one may want next. */
  readonly seeAlso: readonly string[]
}

/** The prose of help and man page, for the operations whose summary does not say it all. */
export const COMMAND_DESCRIPTIONS: Readonly<Partial<Record<OperationName, CommandDescription>>> = {
  'session.create': {
    text: 'The program runs in the background on a pseudoterminal of its own until it ends or is destroyed; this command returns at once. It gets the caller’s environment and working folder, TERM=xterm-256color, and TRANSOM_SESSION, by which commands inside it mean this session. The first create of a Home starts its host. With --web a page is opened in a browser of its own instead, and the command returns when it has loaded; addresses of this machine and its networks are refused unless --allow-host names them.',
    seeAlso: ['wait', 'snapshot', 'destroy'],
  },
  'session.list': {
    text: 'Active sessions only, unless --all is given. Ended sessions keep their Event Log and can still be inspected and shown.',
    seeAlso: ['inspect', 'create'],
  },
  'session.inspect': {
    text: 'Works for ended sessions too: how the program ended, and the path of the Event Log that holds everything it printed.',
    seeAlso: ['list', 'snapshot'],
  },
  'session.type': {
    text: 'The text is sent as it is, character by character. For keys that are no text (Ctrl+C, arrows) use keys; for several lines into an editor use paste. Prints nothing; with --json the seq, a baseline for wait.',
    seeAlso: ['keys', 'paste', 'wait'],
  },
  'session.keys': {
    text: 'A key is sent as the program in front expects it at this moment: application cursor keys and the kitty keyboard protocol are followed. KEY*N presses it N times; a single character is its own key.',
    seeAlso: ['type', 'wait'],
  },
  'session.paste': {
    text: 'When the program has asked for bracketed paste, the text is marked, so that an editor does not indent it and a shell does not run it line by line. An end-of-paste mark inside the text is removed.',
    seeAlso: ['type'],
  },
  'session.mouse': {
    text: 'A web page always takes it. On a terminal only for programs that have switched mouse input on, as mc, htop and dialog do; others get a clear error. Cells are counted from 0.',
    seeAlso: ['keys', 'snapshot'],
  },
  'web.navigate': {
    text: 'Returns when the page has loaded. For what it does after that, use wait. Addresses of this machine and its networks are refused unless the session was created with --allow-host.',
    seeAlso: ['back', 'wait', 'links'],
  },
  'web.links': {
    text: 'Asked of the page itself, so only of a live session. To follow a link that is seen, click its text or its cell with mouse; to open one that is not, give its address to navigate.',
    seeAlso: ['mouse', 'navigate', 'find'],
  },
  'web.answer_dialog': {
    text: 'While a dialog is open the page stands still: keys, clicks and navigation are refused until it is answered. A snapshot with --json shows it.',
    seeAlso: ['page', 'snapshot'],
  },
  'web.paint': {
    text: 'Unlike screenshot, which draws the cells that the Event Log holds, this asks the browser: it shows pictures, fonts and layout as a person would see them, and cannot be made from the log later.',
    seeAlso: ['screenshot', 'artifacts list'],
  },
  'session.signal': {
    text: 'Ctrl+C by keys goes through the terminal and may be read as input; a signal cannot.',
    seeAlso: ['keys', 'destroy'],
  },
  'session.run': {
    text: 'For a session whose program is an interactive bash, zsh, fish or sh, which "transom create" integrates: the shell itself says where the command begins and ends, so that the output is exact and no prompt is guessed. The command runs in the shell, so that cd and variables stay. What is printed on a pipe or a file are the bytes as they were, on a terminal plain text. A time-out does not end the command.',
    seeAlso: ['blocks', 'block', 'exec', 'shell-init', 'wait'],
  },
  'session.shell_init': {
    text: 'A shell that is started inside a session, by hand or through ssh, sudo or docker exec, has no blocks until it is integrated. Evaluate what this prints in it, once, on the terminal of the session: eval "$(transom shell-init bash)", in fish eval (transom shell-init fish); or let --type do so where transom is not at hand. The shell then asks for a script, which is typed to it without echo. From then on run, blocks and exec mean this shell, until it ends. Give the session first when it is not the one that the command is run in.',
    seeAlso: ['run', 'blocks', 'type', 'wait'],
  },
  'pty.blocks': {
    text: 'A block is one command of an integrated shell: asked for by run, or typed at its prompt. Blocks can be listed and read after the session has ended.',
    seeAlso: ['block', 'run'],
  },
  'pty.read': {
    text: 'Plain text, unless --raw asks for the bytes as base64. With --max-bytes or --max-tokens the middle is left out, and the cursors say where it is.',
    seeAlso: ['blocks', 'run'],
  },
  'pty.exec_interactive': {
    text: 'The command gets the shell until it ends: type, keys and wait talk to it, and run is refused meanwhile. Prints the number of its block.',
    seeAlso: ['run', 'type', 'wait', 'block'],
  },
  'session.wait': {
    text: 'Reacts to change and never polls. Several conditions must all hold, unless --any is given. Without a baseline the present screen counts; after typing, give --after-input, so that neither the old screen nor the echo of what was typed satisfies the wait. --needs-input asks the kernel whether the program in front is blocked on reading its terminal, and --json says why: a shell prompt, an interpreter, a password, a question, a menu, a pager. On a timeout the screen that was seen is shown.',
    seeAlso: ['watch', 'snapshot'],
  },
  'session.snapshot': {
    text: 'Prints the text of the screen without trailing blanks; --json adds the cursor, title, modes and Screen Hash. For an ended session, its last screen.',
    seeAlso: ['wait', 'inspect'],
  },
  'session.screenshot': {
    text: 'Drawn without a browser, from glyphs that are shipped: the same screen gives the same pixels on every machine. The picture is kept among the session’s artifacts; its path is printed. Works for ended sessions and for moments of the past. Emoji in colour, and Chinese, Japanese and Korean, need optional packages: when a character is missing, the answer says which one to install.',
    seeAlso: ['snapshot', 'screenshot-diff', 'artifacts list'],
  },
  'session.quota': {
    text: 'A program whose Event Log has reached its quota is paused or ended, as the quota’s policy says; nothing that it printed is dropped.',
    seeAlso: ['create', 'inspect'],
  },
  'session.diff': {
    text: 'For a viewer that has seen the screen before: only what is different now.',
    seeAlso: ['snapshot', 'watch'],
  },
  'session.export': {
    text: 'For sessions that run and those that have ended. A page (.html) holds the player, a list of marks and blocks, and a search; nothing in it needs a network. Input is never part of a recording. Bytes that are not UTF-8 become U+FFFD in an asciicast; "transom log export --format raw" has them. With --from-seq it is drawn from the screen’s cells from there on. A video needs ffmpeg.',
    seeAlso: ['replay', 'artifacts bundle', 'log export'],
  },
  'session.assert': {
    text: 'Judged once, at this moment: wait first. All that is wrong is told at once, with the screen; the status is 1.',
    seeAlso: ['wait', 'batch'],
  },
  'artifacts.bundle': {
    text: 'In it: index.html with the last screen, the pictures and links, a page that plays the recording, the asciicast, the transcript, every artifact, and SHA256SUMS for "sha256sum -c". An artifact that is not what was captured is refused.',
    seeAlso: ['export', 'artifacts verify'],
  },
  'artifacts.pin': {
    text: 'A pin is in the artifact manifest. "transom gc" keeps sessions with a pinned artifact, unless it is forced.',
    seeAlso: ['artifacts list', 'gc'],
  },
  'session.destroy': {
    text: 'Every process of the session is asked to end and, after a moment, killed: also one that has left the terminal. The session can still be listed with --all and shown.',
    seeAlso: ['signal', 'list'],
  },
  'host.status': {
    text: 'The host is the background process that owns the live sessions of a Home. It is started by the first command that needs it, and never by this one.',
    seeAlso: ['host stop', 'doctor'],
  },
  'host.stop': {
    text: 'Refused while sessions are active, unless --force is given. An idle host leaves by itself after a minute.',
    seeAlso: ['host status'],
  },
  'host.debug': {
    text: 'The log is host-debug.log in the Home: connections, and for each request its operation, session, sizes, duration and error code, never what was typed or an environment. At 10 MB it is moved to host-debug.log.1. A host that is started with TRANSOM_DEBUG=1 or by a command with --debug has it on from the start.',
    seeAlso: ['host status', 'doctor'],
  },
}
