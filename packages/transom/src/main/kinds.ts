import { TERMINAL_VIEW } from '../kinds/terminal/terminal-view.ts'
import { WEB_VIEW } from '../kinds/web/web-view.ts'
import { KindViews } from '../session/kind-registry.ts'

/** The kinds of session of the product, for processes that read logs and run no session. */
export function knownKinds(): KindViews {
  return new KindViews([TERMINAL_VIEW, WEB_VIEW])
}
