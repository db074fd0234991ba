import {
  COLS_WEB_DEFAULT,
  ROWS_WEB_DEFAULT,
  checkViewport,
  checkZoom,
  webOptions,
  type WebOptions,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { Home } from '../../home/home.ts'
import type { ChildReaper } from '../../platform/child-reaper.ts'
import { SESSION_VARIABLE } from '../../platform/platform.ts'
import type { KindDefinition, KindRequest, SessionPlan } from '../../session/kind.ts'
import { BrowserProfile, removeOwnProfile } from './browser-profile.ts'
import type { FrameDecoder } from './frame-decoder.ts'
import { UrlPolicy } from './url-policy.ts'
import type { WebProjection } from './web-projection.ts'
import { WebSource } from './web-source.ts'
import { WEB_VIEW } from './web-view.ts'

const BLANK_PAGE = 'about:blank'

export interface WebServices {
  readonly home: Home
  readonly reaper: ChildReaper
  /** Reads the frames of all pages of this process. */
  readonly decoder: FrameDecoder
  /** Has a folder removed if this process is killed. */
  readonly removeLater: (folder: string) => void
  /** Takes messages for the user of this process: a browser without a sandbox, a page that hung. */
  readonly notice?: ((message: string) => void) | undefined
}

/** A page in a browser of its own. */
export function webKind(services: WebServices): KindDefinition<WebOptions, WebProjection> {
  return {
    ...WEB_VIEW,
    options: webOptions,
    isMeantBy: ({ url }) => url !== undefined,
    plan: (request) => planWeb(request, services),
    clear: async (home, { session }) => removeOwnProfile(home, session),
  }
}

function planWeb(
  { common, options }: KindRequest<WebOptions>,
  services: WebServices,
): SessionPlan<WebProjection> {
  const { cols = COLS_WEB_DEFAULT, rows = ROWS_WEB_DEFAULT } = common
  const { zoom, allow_hosts: allowHosts = [], only_hosts: onlyHosts = [] } = options
  checkViewport(cols, rows)
  if (zoom !== undefined) checkZoom(zoom)
  const policy = new UrlPolicy({ allowHosts, onlyHosts })
  const url = options.url === undefined ? BLANK_PAGE : policy.checkNavigation(options.url).href
  return {
    about: { command: [], url, cwd: common.cwd ?? process.cwd(), cols, rows },
    start: (start) => {
      const profile = profileOf(options, services, start.manifest.session)
      // A browser is of its own session, also if a program of another one asked for it.
      const env = { ...(common.base_env ?? process.env), [SESSION_VARIABLE]: undefined }
      const { reaper, decoder, notice = () => {} } = services
      return new WebSource({
        ...start,
        url,
        env,
        zoom,
        allowHosts,
        onlyHosts,
        profile,
        reaper,
        decoder,
        notice,
      })
    },
  }
}

function profileOf(
  { profile: name, profile_folder: folder }: WebOptions,
  { home, removeLater }: WebServices,
  session: string,
): BrowserProfile {
  if (name !== undefined && folder !== undefined)
    throw new OpError('usage', 'give one of `profile` and `profile_folder`')
  if (folder !== undefined) return BrowserProfile.at(folder)
  if (name !== undefined) return BrowserProfile.named(home, name)
  const own = BrowserProfile.own(home, session)
  removeLater(own.folder)
  return own
}
