import type { CallMetrics } from './call-metrics.ts'
import { FULL_GRANT } from './access.ts'
import type { GatewayCalls } from './gateway-calls.ts'
import type { StreamSlots } from './stream-slots.ts'
import { OpError } from '@transom/protocol/errors'
import type { Result } from '@transom/protocol'

export interface MetricsParts {
  readonly calls: GatewayCalls
  readonly callMetrics: CallMetrics
  readonly slots: StreamSlots
  readonly signal: AbortSignal
}

/** What Prometheus asks for: the gateway's own counts, and those of the host when one is running. */
export async function gatewayMetrics({ calls, callMetrics, slots, signal }: MetricsParts): Promise<string> {
  const host = await hostStatus(calls, signal)
  return [
    ...gauge('transom_host_up', 'Whether a host of the Home is running.', host === null ? 0 : 1),
    ...(host === null ? [] : hostLines(host)),
    ...gauge('transom_gateway_streams', 'WebSockets and event streams that are open.', slots.count),
    ...callMetrics.lines(),
    '',
  ].join('\n')
}

async function hostStatus(calls: GatewayCalls, signal: AbortSignal): Promise<Result<'host.status'> | null> {
  try {
    return (await calls.call(FULL_GRANT, 'host.status', {}, signal)) as Result<'host.status'>
  } catch (error) {
    if (error instanceof OpError && error.code === 'host_unavailable') return null
    throw error
  }
}

function hostLines(host: Result<'host.status'>): string[] {
  return [
    ...gauge('transom_sessions_active', 'Active sessions.', host.sessions),
    ...gauge('transom_host_connections', 'Connections to the host.', host.connections),
    ...gauge('transom_host_resident_bytes', 'Memory of the host.', host.rss_bytes),
  ]
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`]
}
