/** The recorder of a host that runs counters. */
import { serveRecorder } from '../../packages/transom/src/evidence/recordings/serve-recorder.ts'
import { KindViews } from '../../packages/transom/src/session/kind-registry.ts'
import { COUNTER_VIEW } from './counter-kind.ts'

serveRecorder({ kinds: new KindViews([COUNTER_VIEW]), player: { script: '', style: '' } })
