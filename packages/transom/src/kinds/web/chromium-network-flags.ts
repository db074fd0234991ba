/** One switch, and what would get past the proxy without it. */
export interface NetworkFlag {
  readonly flag: string
  readonly reason: string
}

/**
 * What makes the filtering proxy the only way out of Chromium, beside `--proxy-server` itself (`networkFlags`). The
 * tests open pages that try each way.
 */
const NETWORK_FLAGS: readonly NetworkFlag[] = [
  {
    flag: '--proxy-bypass-list=<-loopback>',
    reason: 'Chromium sends what is for loopback past every proxy; this takes that rule away.',
  },
  {
    flag: '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    reason:
      'Chromium resolves no name and connects to nothing but the proxy by itself: no prefetch, no preconnect and no ' +
      'DNS query, which alone can carry data out.',
  },
  { flag: '--disable-quic', reason: 'HTTP/3 is UDP, which no HTTP proxy carries.' },
  {
    flag: '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    reason: 'WebRTC sends UDP to any address that a page names, and tells the page this machine’s own ones.',
  },
  { flag: '--dns-prefetch-disable', reason: 'Names of links are not looked up before anybody follows them.' },
  {
    flag: '--enable-features=PrefetchUseContentRefactor:prefetch_timeout_ms/1',
    reason:
      'Speculation rules load pages that nobody has asked for, and Chromium shows such a page without asking the guard ' +
      'whether it may be opened. It has no switch to turn them off; within a millisecond next to none is loaded.',
  },
  { flag: '--no-pings', reason: '<a ping> sends requests that nobody asked for.' },
  {
    flag: '--disable-background-networking',
    reason: 'Chromium’s own services (updates, field trials) are nothing that a page or an agent asked for.',
  },
  { flag: '--disable-component-update', reason: 'As above.' },
  { flag: '--disable-domain-reliability', reason: 'As above: reports to its maker about sites that fail.' },
  { flag: '--disable-sync', reason: 'As above.' },
]

/** Every switch that has to do with the network, for a proxy at `127.0.0.1:port`. */
export function networkFlags(proxyAddress: string): string[] {
  return [`--proxy-server=http://${proxyAddress}`, ...NETWORK_FLAGS.map(({ flag }) => flag)]
}
