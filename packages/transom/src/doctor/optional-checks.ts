import { messageOf } from '../lib/system-error.ts'
import { checkProgram } from '../platform/program.ts'
import { absent, ok, type Check, type Finding } from './check.ts'

/** Parts that a user may install beside Transom, and how they are looked for. */
export interface OptionalParts {
  readonly env: NodeJS.ProcessEnv
  /** The browser that web sessions start. Throws, with what to do, if there is none. */
  findBrowser(): string
  /** Packages to install for characters without glyphs; none if they can be drawn. */
  fontPackagesFor(codePoints: readonly number[]): string[]
}

const EMOJI = [0x1f600]
const EAST_ASIAN = [0x6f22, 0x304b, 0xd55c] // a Han character, a kana and a Hangul syllable

/** What optional parts make possible: nothing else suffers without them. */
export function optionalChecks(parts: OptionalParts): Check[] {
  return [
    { name: 'web_sessions', run: () => checkBrowser(parts) },
    { name: 'videos', run: () => checkVideos(parts.env) },
    { name: 'emoji_in_pictures', run: () => checkFonts(parts, 'emoji', EMOJI) },
    { name: 'cjk_in_pictures', run: () => checkFonts(parts, 'Chinese, Japanese and Korean', EAST_ASIAN) },
  ]
}

function checkBrowser(parts: OptionalParts): Finding {
  try {
    return ok(`pages are shown by ${parts.findBrowser()}`)
  } catch (error) {
    const [found = '', ...advice] = messageOf(error).split('; ')
    return absent(`no web sessions: ${found}`, advice.join('; ') || 'install Chromium')
  }
}

function checkVideos({ PATH }: NodeJS.ProcessEnv): Finding {
  try {
    checkProgram('ffmpeg', '/', PATH === undefined ? {} : { PATH })
    return ok('ffmpeg makes webm and mp4')
  } catch {
    return absent(
      'no ffmpeg: recordings cannot be webm or mp4; gif, apng and html need none',
      'install ffmpeg',
    )
  }
}

function checkFonts(parts: OptionalParts, what: string, codePoints: readonly number[]): Finding {
  const packages = parts.fontPackagesFor(codePoints)
  if (packages.length === 0) return ok(`there are glyphs for ${what}`)
  return absent(`no glyphs for ${what}: empty boxes in pictures`, `npm install -g ${packages.join(' ')}`)
}
