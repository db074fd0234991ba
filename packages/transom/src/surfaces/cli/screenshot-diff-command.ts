import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { OpError, type WireError } from '@transom/protocol/errors'
import { localCommand, localParam, type LocalContext } from './local-command.ts'

/** As with grep and diff: nothing failed, but the two are not the same. */
const DIFFERENT = 1

export const screenshotDiffCommand = localCommand({
  command: 'screenshot-diff',
  summary: 'Compare two screenshots, pixel by pixel.',
  description:
    'Ends with 0 when the two are the same and with 1 when they differ. With --out a picture is written: the second screenshot, faded, with what differs in red. Works without a host, on PNG files with 8 bits a channel.',
  seeAlso: ['screenshot', 'diff'],
  examples: [
    'transom screenshot-diff before.png after.png',
    'transom screenshot-diff before.png after.png -o difference.png',
  ],
  errors: ['file_not_read', 'picture_unreadable', 'file_exists', 'file_not_written'],
  positionals: ['before', 'after'],
  params: [
    localParam({
      name: 'before',
      type: 'path',
      placeholder: 'BEFORE',
      description: 'The first PNG file.',
      required: true,
    }),
    localParam({
      name: 'after',
      type: 'path',
      placeholder: 'AFTER',
      description: 'The second PNG file.',
      required: true,
    }),
    localParam({
      name: 'out',
      type: 'path',
      flag: 'out',
      placeholder: 'FILE',
      description: 'Write a picture of the difference to this file.',
    }),
    localParam({
      name: 'force',
      type: 'boolean',
      flag: 'force',
      description: 'Replace the file if it is there.',
    }),
  ],
  run: screenshotDiff,
})

/** What main/picture-diff.ts answers with. */
export interface PictureDifference {
  readonly same: boolean
  readonly changed_pixels: number
  readonly pixels: number
  /** Around what differs, in pixels; right and bottom lie outside. */
  readonly bounds: { left: number; top: number; right: number; bottom: number } | null
  readonly before: { width: number; height: number }
  readonly after: { width: number; height: number }
  readonly path: string | null
}

export type DiffAnswer = { readonly difference: PictureDifference } | { readonly error: WireError }

export interface DiffRequest {
  /** Absolute. */
  readonly before: string
  readonly after: string
  readonly out: string | null
  readonly force: boolean
}

async function screenshotDiff({ cli, params, answer }: LocalContext): Promise<number> {
  const file = (name: string) => path.resolve(cli.cwd, String(params[name]))
  const request: DiffRequest = {
    before: file('before'),
    after: file('after'),
    out: params['out'] === undefined ? null : file('out'),
    force: params['force'] === true,
  }
  // The code that reads and writes pictures is not part of the CLI, which every command would have to load.
  const script = pathToFileURL(path.join(path.dirname(cli.hostScript), 'picture-diff.mjs')).href
  const { diffFiles } = (await import(script)) as {
    diffFiles: (request: DiffRequest) => Promise<DiffAnswer>
  } // built from main/picture-diff.ts of this same version
  const answered = await diffFiles(request)
  if ('error' in answered)
    throw new OpError(answered.error.code, answered.error.message, answered.error.details)
  const { difference } = answered
  answer(difference, words(difference))
  return difference.same ? 0 : DIFFERENT
}

function words({ same, changed_pixels, pixels, bounds }: PictureDifference): string {
  if (same || bounds === null) return 'the same'
  const share = ((changed_pixels / pixels) * 100).toFixed(2)
  const { left, top, right, bottom } = bounds
  return `${changed_pixels} of ${pixels} pixels differ (${share} %), in ${right - left}x${bottom - top} at ${left},${top}`
}
