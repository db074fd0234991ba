import { OpError } from '@transom/protocol/errors'
import { findBubblewrap } from '../platform/bubblewrap.ts'
import { findChromium, whyNoSandbox } from '../kinds/web/chromium-location.ts'
import { degraded, ok, type Check, type Finding } from './check.ts'

export interface Confinement {
  readonly env: NodeJS.ProcessEnv
  readonly uid: number | undefined
}

/** What keeps a page or a program from acting as the user of the host. */
export function confinementChecks(system: Confinement): Check[] {
  return [
    { name: 'browser_sandbox', run: () => checkBrowserSandbox(system) },
    { name: 'isolation', run: () => checkIsolation(system) },
  ]
}

function checkIsolation({ env }: Confinement): Finding {
  try {
    return ok(`${findBubblewrap(env)}, for create --isolated`)
  } catch (error) {
    if (!(error instanceof OpError)) throw error
    return ok(`${error.message}; only create --isolated needs it`)
  }
}

function checkBrowserSandbox({ env, uid }: Confinement): Finding {
  try {
    const chromium = findChromium(env)
    const why = whyNoSandbox(chromium, uid)
    if (why === null) return ok(chromium.path)
    const advice =
      uid === 0
        ? 'run Transom as an ordinary user to open pages that you do not trust'
        : 'install a Chromium of your distribution to open pages that you do not trust'
    return degraded(`${chromium.path} runs without a sandbox: ${why}`, advice)
  } catch (error) {
    if (!(error instanceof OpError)) throw error
    return ok(`${error.message}; only web sessions need one`)
  }
}
