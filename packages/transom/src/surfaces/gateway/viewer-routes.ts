import type { Hono } from 'hono'
import { OpError } from '@transom/protocol/errors'
import type { Admission } from './admission.ts'
import type { AppEnv } from './app-env.ts'
import { readJsonBody } from './request-body.ts'
import type { StreamSlots } from './stream-slots.ts'
import { VIEWER_HEADERS, VIEWER_PAGE } from './viewer-page.ts'

export const VIEWER_PATH = '/viewer'
const LOGIN_PATH = '/viewer/login'
const LOGOUT_PATH = '/viewer/logout'
const LOGIN_BYTES_MAX = 1024

/** Those that need no token: the page has nothing in it, and a login has a code. */
export const OPEN_VIEWER_PATHS: readonly string[] = [VIEWER_PATH, LOGIN_PATH]

export interface ViewerParts {
  readonly admission: Admission
  readonly slots: StreamSlots
}

/** A page for browsers, and the way from a code to a cookie. Looking at the page changes nothing. */
export function addViewerRoutes(
  app: Hono<AppEnv>,
  { admission, slots }: ViewerParts,
  securityHeaders: Readonly<Record<string, string>>,
): void {
  app.get(VIEWER_PATH, (context) => context.body(VIEWER_PAGE, 200, { ...securityHeaders, ...VIEWER_HEADERS }))
  app.post(LOGIN_PATH, async (context) => {
    const code = codeOf(await readJsonBody(context.env.incoming, LOGIN_BYTES_MAX))
    const cookie = admission.logIn(code, context.env.incoming.socket.remoteAddress)
    return context.body(null, 204, { ...securityHeaders, 'set-cookie': cookie })
  })
  app.post(LOGOUT_PATH, async (context) => {
    await readJsonBody(context.env.incoming, LOGIN_BYTES_MAX) // for its type: no form can send this
    const cookie = admission.logOut(context.var.grant)
    slots.closeInvalid((grant) => admission.isValid(grant))
    return context.body(null, 204, { ...securityHeaders, 'set-cookie': cookie })
  })
}

function codeOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string')
    return body.code
  throw new OpError('usage', 'a login has a code: {"code":"…"}; "transom login" makes one')
}
