import * as fs from 'node:fs'
import * as path from 'node:path'
import type { HostKinds, KindServices } from '../host/host.ts'
import { loadPtyBinding } from '../kinds/terminal/pty-binding.ts'
import { terminalKind } from '../kinds/terminal/terminal-kind.ts'
import { FrameDecoder } from '../kinds/web/frame-decoder.ts'
import { webKind, type WebServices } from '../kinds/web/web-kind.ts'
import { KindRegistry } from '../session/kind-registry.ts'

/**
 * The kinds of session that a host of the product runs, from the folder with its programs. Everything is loaded here:
 * an upgrade may replace the files of a host that runs.
 */
export function hostKinds(
  folder: string,
  { config, ...services }: KindServices,
  web: Pick<WebServices, 'notice'> = {},
): HostKinds {
  loadPtyBinding()
  const decoder = new FrameDecoder(fs.readFileSync(path.join(folder, 'frame-worker.cjs'), 'utf8'))
  const registry = new KindRegistry()
    .add(terminalKind({ ...services, size: config.session }))
    .add(webKind({ ...services, ...web, decoder }))
  return { registry, close: async () => decoder.close() }
}
