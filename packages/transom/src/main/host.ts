/** The host process of the product: its kinds of session are terminals and web pages. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import type { HostKinds, KindServices } from '../host/host.ts'
import { runHost } from '../host/run-host.ts'
import { loadPtyBinding } from '../kinds/terminal/pty-binding.ts'
import { terminalKind } from '../kinds/terminal/terminal-kind.ts'
import { FrameDecoder } from '../kinds/web/frame-decoder.ts'
import { webKind } from '../kinds/web/web-kind.ts'
import { KindRegistry } from '../session/kind-registry.ts'

await runHost(createKinds)

/** Everything is loaded here: an upgrade may replace the files of a host that runs. */
function createKinds({ config, ...services }: KindServices): HostKinds {
  loadPtyBinding()
  const folder = path.dirname(process.argv[1] ?? '')
  const decoder = new FrameDecoder(fs.readFileSync(path.join(folder, 'frame-worker.cjs'), 'utf8'))
  const registry = new KindRegistry()
    .add(terminalKind({ ...services, size: config.session }))
    .add(webKind({ ...services, decoder }))
  return { registry, close: async () => decoder.close() }
}
