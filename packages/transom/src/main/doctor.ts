/**
 * The doctor: `node doctor.mjs HOME`. A process of its own, because it must be able to say why a host cannot
 * start. Prints one JSON object: what was checked and what was found.
 */
import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PROTOCOL_VERSION, VERSION } from '@transom/protocol/version'
import { connectToHost } from '../surfaces/cli/host-connection.ts'
import { degraded, failed, ok, runChecks, type Finding } from '../doctor/check.ts'
import { existingAncestor, homeChecks } from '../doctor/home-checks.ts'
import { confinementChecks } from '../doctor/confinement-checks.ts'
import { nativeChecks } from '../doctor/native-checks.ts'
import { optionalChecks } from '../doctor/optional-checks.ts'
import { systemChecks } from '../doctor/system-checks.ts'
import { OptionalFonts } from '../evidence/picture-worker/optional-fonts.ts'
import { findChromium } from '../kinds/web/chromium-location.ts'
import { messageOf } from '../lib/system-error.ts'
import { platformOf } from '../platform/current-platform.ts'
import { systemName } from '../platform/system-name.ts'

const HOST_TIMEOUT_MS = 5000 // a host answers in a millisecond; one that is stopped never does

const home = process.argv[2] ?? ''
const { env, arch } = process
const platform = platformOf(systemName())

const fonts = new OptionalFonts(fileURLToPath(import.meta.url)) // looked for from here, as by the host beside this file

const checks = await runChecks([
  ...systemChecks({
    nodeVersion: process.version,
    name: systemName(),
    platform,
    arch,
    env,
    folder: existingAncestor(home),
  }),
  ...(platform === null ? [] : nativeChecks(platform)),
  ...confinementChecks({ env, uid: process.getuid?.() }),
  ...homeChecks(home, env),
  ...optionalChecks({
    env,
    findBrowser: () => findChromium(env).path,
    fontPackagesFor: (codePoints) => fonts.packagesFor(codePoints.filter((point) => !canDraw(point))),
  }),
  { name: 'host', run: askHost },
])
fs.writeSync(1, `${JSON.stringify({ version: VERSION, home, checks })}\n`)
process.exit(0) // a host that does not answer keeps its connection open

/** With the packages and the fonts of the system that are there. */
function canDraw(point: number): boolean {
  const cell = { width: 9, height: 18, baseline: 14, line: 1 } // of scale 1
  return fonts.at(cell).find(String.fromCodePoint(point), 0, 2) !== null
}

async function askHost(): Promise<Finding> {
  const client = await connectToHost({ home, debug: () => {} })
  if (client === null) return ok('none is running; the first command that needs one starts it')
  let status
  try {
    status = await client.call('host.status', {}, { signal: AbortSignal.timeout(HOST_TIMEOUT_MS) })
  } catch (error) {
    return failed(
      `the host of ${home} does not answer: ${messageOf(error)}`,
      'look at it with ps, and kill it when it hangs',
    )
  }
  const found = `pid ${status.pid}, version ${status.version}, protocol ${status.protocol}, ${status.sessions} active sessions`
  if (status.version === VERSION && status.protocol === PROTOCOL_VERSION) return ok(found)
  const advice = `"transom host stop" when its sessions have ended: the next one is version ${VERSION}`
  return degraded(found, advice)
}
