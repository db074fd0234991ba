/** The licences of the packages whose code is inside the files that we ship: most ask to be passed on with it. */
import * as fs from 'node:fs'
import * as path from 'node:path'

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i

/**
 * @param {string} root the workspace
 * @param {string[]} inputs the files that were bundled, relative to it
 * @param {string} name what they were bundled into
 */
export function thirdPartyNotices(root, inputs, name = 'Transom') {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== null))
  const notices = [...folders].sort().map((folder) => noticeOf(path.join(root, folder)))
  return [`${name} holds code of these packages.`, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)
}

/** `node_modules/@scope/name`, for a file inside it; null for our own files. */
function packageFolder(/** @type {string} */ file) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? null
}

function noticeOf(/** @type {string} */ folder) {
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const files = fs.readdirSync(folder).filter((file) => LICENSE_FILE.test(file))
  const texts = files.map((file) => fs.readFileSync(path.join(folder, file), 'utf8').trim())
  if (texts.length === 0)
    texts.push(`Its package has no text of the licence; see ${about.repository?.url ?? about.repository}`)
  return [`${about.name} ${about.version} (${about.license})`, ...texts].join('\n\n')
}
