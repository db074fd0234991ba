import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Grant } from './token-store.ts'

/** What routes find in their context. */
export interface AppEnv {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse }
  Variables: { grant: Grant }
}
