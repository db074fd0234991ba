import type { PersonsTerminal } from '@transom/tui'
import { messageOf } from '../usage-error.ts'
import { InspectorRecord } from './inspector-panels.ts'
import { InspectorScreen } from './inspector-screen.ts'
import type { InspectorSource } from './inspector-source.ts'

export interface InspectOptions {
  readonly terminal: PersonsTerminal
  readonly source: InspectorSource
  /** Milliseconds since 1970, with fractions. */
  readonly now: () => number
}

/** Shows a desktop until the person leaves or the desktop ends; returns why it ended, or nothing. */
export async function inspect({ terminal, source, now }: InspectOptions): Promise<string | undefined> {
  const record = new InspectorRecord()
  let end: (reason: string | undefined) => void = () => undefined
  const ended = new Promise<string | undefined>((resolve) => {
    end = resolve
  })
  let instances: readonly string[] = []
  const screen = new InspectorScreen(record, {
    quit: () => end(undefined),
    run: (command) => void run(inContext(command, instances)),
  })
  const draw = () => {
    const { grid, cursor } = screen.draw(terminal.cols, terminal.rows)
    terminal.show(grid, cursor)
  }
  const run = async (command: string) => {
    const started = now()
    const failure = await source.execute(command).then(
      () => undefined,
      (error: unknown) => messageOf(error),
    )
    record.addCommand(command, now() - started, failure, now())
    screen.say(failure ?? `done: ${command}`)
    draw()
  }
  source.start({
    onPicture: (picture) => {
      instances = picture.apps.map(({ instance }) => instance)
      record.addPicture(picture, now())
      draw()
    },
    onSignal: (reason) => record.addEvent(`signal ${reason}`, now()),
    onDeveloperLine: (line) => {
      record.addDeveloperLine(line)
      draw()
    },
    onEnd: (reason) => end(reason),
  })
  terminal.listen((event) => {
    screen.handle(event)
    draw()
  })
  draw()
  try {
    return await ended
  } finally {
    await source.close()
  }
}

/** `execute add` means the app, where there is one; text with contexts of its own is left as it is. */
function inContext(command: string, instances: readonly string[]): string {
  if (/^\s*<context/.test(command)) return command
  const [only, second] = instances
  const context = only === undefined || second !== undefined ? '<context>' : `<context app_id="${only}">`
  return `${context}${command}</context>`
}
