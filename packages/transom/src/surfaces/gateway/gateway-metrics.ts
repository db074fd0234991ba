import type { CallMetrics } from './call-metrics.ts'
import type { GatewayCalls } from './gateway-calls.ts'
import { ownPrincipal } from './own-principal.ts'
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
    return (await calls.call(ownPrincipal(), 'host.status', {}, signal)) as Result<'host.status'>
  } catch (error) {
    if (error instanceof OpError && error.code === 'host_unavailable') return null
    throw error
  }
}

function hostLines({ sessions, connections, rss_bytes, metrics }: Result<'host.status'>): string[] {
  const { requests } = metrics
  return [
    ...gauge('transom_sessions_active', 'Active sessions.', sessions),
    ...header('transom_sessions', 'gauge', 'Live sessions by kind and status.'),
    ...metrics.sessions.map(
      ({ kind, status, count }) => `transom_sessions{kind="${kind}",status="${status}"} ${count}`,
    ),
    ...counter('transom_events_total', 'Records of Event Logs that the host has written.', metrics.events),
    ...counter(
      'transom_log_bytes_total',
      'Bytes of Event Logs that the host has written.',
      metrics.log_bytes,
    ),
    ...gauge('transom_waits_pending', 'Waits that have not come true yet.', metrics.waits),
    ...gauge('transom_subscriptions', 'Subscriptions to screens.', metrics.subscriptions),
    ...gauge('transom_input_queue_bytes', 'Input that programs have not read.', metrics.input_queue_bytes),
    ...gauge('transom_host_connections', 'Connections to the host.', connections),
    ...gauge('transom_host_resident_bytes', 'Memory of the host.', rss_bytes),
    ...header('transom_host_requests_total', 'counter', 'Requests to the host, by operation.'),
    ...requests.map(
      ({ operation, count }) => `transom_host_requests_total{operation="${operation}"} ${count}`,
    ),
    ...header('transom_host_request_errors_total', 'counter', 'Those that failed.'),
    ...requests.map(
      ({ operation, errors }) => `transom_host_request_errors_total{operation="${operation}"} ${errors}`,
    ),
    ...header('transom_host_request_seconds_total', 'counter', 'How long they took together.'),
    ...requests.map(
      ({ operation, total_ms }) =>
        `transom_host_request_seconds_total{operation="${operation}"} ${total_ms / 1000}`,
    ),
  ]
}

function gauge(name: string, help: string, value: number): string[] {
  return [...header(name, 'gauge', help), `${name} ${value}`]
}

function counter(name: string, help: string, value: number): string[] {
  return [...header(name, 'counter', help), `${name} ${value}`]
}

function header(name: string, type: 'gauge' | 'counter', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}
