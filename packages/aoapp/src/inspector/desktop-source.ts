import type { CommandAck, Desktop, DeveloperLine, UpdateSignal } from '@aotui/runtime'
import { inspectedApps, type InspectorEvents, type InspectorSource } from './inspector-source.ts'

const READER = 'aoapp-inspector'

/** The desktop logs an operation after the signal of what it changed, without another signal. */
const LOGGED_MS = 100

/**
 * A desktop of this process. The input is taken for each command and given back: an inspector looks at any time, and acts
 * only when nobody else holds the input.
 */
export class DesktopSource implements InspectorSource {
  readonly #desktop: Desktop
  #seen: string | undefined
  #show: () => void = () => undefined
  #stop: () => void = () => undefined

  constructor(desktop: Desktop) {
    this.#desktop = desktop
  }

  start(events: InspectorEvents): void {
    const { output } = this.#desktop
    let later: NodeJS.Timeout | undefined
    const show = () => {
      const { markup, snapshot_id } = this.#desktop.snapshot({ reader: READER })
      this.#seen = snapshot_id
      events.onPicture({ markup, apps: inspectedApps(this.#desktop.apps()) })
    }
    const onSignal = ({ reason }: UpdateSignal) => {
      events.onSignal(reason)
      show()
      clearTimeout(later)
      later = setTimeout(show, LOGGED_MS)
    }
    const unfollow = this.#desktop.followDeveloperLog((line: DeveloperLine) => events.onDeveloperLine(line))
    output.subscribe(onSignal)
    this.#stop = () => {
      clearTimeout(later)
      this.#show = () => undefined
      unfollow()
      output.unsubscribe(onSignal)
    }
    this.#show = show
    show()
  }

  async execute(command: string): Promise<CommandAck> {
    const lease = this.#desktop.input.acquire(READER)
    try {
      return await lease.execute(command, this.#seen === undefined ? {} : { snapshot_id: this.#seen })
    } finally {
      lease.release()
      this.#show()
    }
  }

  close(): Promise<void> {
    this.#stop()
    return Promise.resolve()
  }
}
