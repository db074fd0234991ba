/** What kind of network an address belongs to. Everything but `public` is refused unless it was allowed by name. */
export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link_local'
  | 'unique_local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'reserved'

export interface JudgedAddress {
  readonly kind: AddressKind
  /** The IPv4 address inside an IPv6 one that decided it, when there is one. */
  readonly embedded: string | null
}

/** Judges a literal address, IPv4 or IPv6. Null if the text is neither. */
export function judgeAddress(text: string): JudgedAddress | null {
  const bytes = parseAddress(text)
  if (bytes === null) return null
  if (bytes.length === 4) return { kind: kindOf(bytes, IPV4_RANGES) ?? 'public', embedded: null }
  const embedded = embeddedIpv4(bytes)
  if (embedded !== null) {
    const kind = kindOf(embedded, IPV4_RANGES)
    if (kind !== undefined) return { kind, embedded: embedded.join('.') }
  }
  return { kind: kindOf(bytes, IPV6_RANGES) ?? 'reserved', embedded: null }
}

/** The bytes of a literal address: 4 or 16 of them. Only the spellings that the URL standard writes; null for others. */
export function parseAddress(text: string): Uint8Array | null {
  const zone = text.indexOf('%') // fe80::1%eth0: which interface is no part of the address
  const plain = zone < 0 ? text : text.slice(0, zone)
  return plain.includes(':') ? parseIpv6(plain) : parseIpv4(plain)
}

/** Whether the first `bits` of two addresses of the same family are the same. */
export function sharesPrefix(address: Uint8Array, prefix: Uint8Array, bits: number): boolean {
  if (address.length !== prefix.length) return false
  const whole = bits >> 3
  for (let index = 0; index < whole; index++) if (address[index] !== prefix[index]) return false
  const rest = bits & 7
  return rest === 0 || (((address[whole] ?? 0) ^ (prefix[whole] ?? 0)) & (0xff00 >> rest) & 0xff) === 0
}

interface Range {
  readonly prefix: Uint8Array
  readonly bits: number
  readonly kind: AddressKind
}

/** From the IANA registry of special-purpose addresses, and what clouds serve credentials at. First match counts. */
const IPV4_RANGES: readonly Range[] = [
  range('169.254.169.254/32', 'metadata'), // AWS, GCP, Azure, OpenStack, DigitalOcean
  range('169.254.170.2/32', 'metadata'), // AWS ECS task credentials
  range('100.100.100.200/32', 'metadata'), // Alibaba
  range('168.63.129.16/32', 'metadata'), // Azure's host, in public space
  range('192.0.0.192/32', 'metadata'), // Oracle
  range('0.0.0.0/8', 'unspecified'), // Linux connects 0.0.0.0 to itself
  range('10.0.0.0/8', 'private'),
  range('100.64.0.0/10', 'shared'), // carrier-grade NAT
  range('127.0.0.0/8', 'loopback'),
  range('169.254.0.0/16', 'link_local'),
  range('172.16.0.0/12', 'private'),
  range('192.0.0.0/24', 'reserved'),
  range('192.0.2.0/24', 'reserved'), // documentation
  range('192.88.99.0/24', 'reserved'), // 6to4 relays
  range('192.168.0.0/16', 'private'),
  range('198.18.0.0/15', 'private'), // benchmarks inside a network
  range('198.51.100.0/24', 'reserved'), // documentation
  range('203.0.113.0/24', 'reserved'), // documentation
  range('224.0.0.0/4', 'multicast'),
  range('240.0.0.0/4', 'reserved'),
]

/** What matches nothing here is not global unicast space, and refused as reserved. */
const IPV6_RANGES: readonly Range[] = [
  range('::/128', 'unspecified'),
  range('::1/128', 'loopback'),
  range('::ffff:0:0/96', 'public'), // its IPv4 address was judged before
  range('64:ff9b::/96', 'public'), // NAT64: the same
  range('fd00:ec2::254/128', 'metadata'), // AWS
  range('fd20:ce::254/128', 'metadata'), // GCP
  range('fc00::/7', 'unique_local'),
  range('fe80::/10', 'link_local'),
  range('fec0::/10', 'private'), // site-local: deprecated, still routed inside some networks
  range('ff00::/8', 'multicast'),
  range('2001::/23', 'reserved'), // Teredo (a tunnel to an IPv4 host), benchmarks, ORCHID
  range('2001:db8::/32', 'reserved'), // documentation
  range('3fff::/20', 'reserved'), // documentation
  range('2000::/3', 'public'),
]

/** The IPv4 host that a packet to this IPv6 address may end up at. */
function embeddedIpv4(bytes: Uint8Array): Uint8Array | null {
  const startsWith = (text: string, bits: number) => sharesPrefix(bytes, known(text), bits)
  if (startsWith('::ffff:0:0', 96)) return bytes.subarray(12) // mapped: the kernel itself speaks IPv4 to it
  if (startsWith('::', 96) && !startsWith('::', 127)) return bytes.subarray(12) // compatible
  if (startsWith('64:ff9b::', 96)) return bytes.subarray(12) // NAT64
  if (startsWith('2002::', 16)) return bytes.subarray(2, 6) // 6to4
  const isIsatap =
    ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return isIsatap ? bytes.subarray(12) : null
}

function kindOf(bytes: Uint8Array, ranges: readonly Range[]): AddressKind | undefined {
  return ranges.find(({ prefix, bits }) => sharesPrefix(bytes, prefix, bits))?.kind
}

function range(cidr: string, kind: AddressKind): Range {
  const [address = '', bits = ''] = cidr.split('/')
  return { prefix: known(address), bits: Number(bits), kind }
}

function known(text: string): Uint8Array {
  const bytes = parseAddress(text)
  if (bytes === null) throw new Error(`${text} in the table is no address`)
  return bytes
}

function parseIpv4(text: string): Uint8Array | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return null
  }
  return Uint8Array.from(parts, Number)
}

function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const groups = halves.map((half, index) => ipv6Groups(half, index === halves.length - 1))
  const [head, tail] = groups
  if (head === null || head === undefined || tail === null) return null
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  const all = [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])]
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}

/** The 16-bit groups of one side of `::`; a dotted IPv4 address may stand at the end of the last. */
function ipv6Groups(text: string, isLast: boolean): number[] | null {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const dotted = parseIpv4(part)
      if (dotted === null || !isLast || index !== parts.length - 1) return null
      const [a = 0, b = 0, c = 0, d = 0] = dotted
      groups.push((a << 8) | b, (c << 8) | d)
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16))
    } else {
      return null
    }
  }
  return groups
}
