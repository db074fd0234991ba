/** A host that runs counters. */
import { runHost } from '../../packages/transom/src/host/run-host.ts'
import { KindRegistry } from '../../packages/transom/src/session/kind-registry.ts'
import { COUNTER_KIND } from './counter-kind.ts'

await runHost(() => ({ registry: new KindRegistry().add(COUNTER_KIND), close: async () => {} }))
