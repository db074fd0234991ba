import { OpError } from '@transom/protocol/errors'
import { parseAddress, sharesPrefix } from './ip-ranges.ts'

/** A host as requests name it: lower case, punycode, IPv4 in four decimal numbers, no brackets, no trailing dot. */
export interface HostName {
  readonly name: string
  readonly port: number
}

/** One entry of an allow-list: a name, `*.name` for all below it, an address or a block of them; at one port or all. */
export interface HostPattern {
  /** As it was given. */
  readonly text: string
  readonly port: number | null
  matchesName(name: string): boolean
  matchesAddress(address: string): boolean
}

export function parseHostPattern(text: string): HostPattern {
  const { host, port } = splitPort(text.trim().toLowerCase(), text)
  const [block = '', bits] = unbracketed(host).split('/')
  const prefix = parseAddress(normalName(block) ?? block)
  if (prefix !== null) return addressPattern({ text, port, prefix, bits: prefixBits(bits, prefix, text) })
  if (bits !== undefined) throw badPattern(text)
  const isWildcard = host.startsWith('*.')
  const name = normalName(isWildcard ? host.slice(2) : host)
  if (name === null || name.includes('*')) throw badPattern(text)
  return {
    text,
    port,
    matchesName: (given) => (isWildcard ? given.endsWith(`.${name}`) : given === name),
    matchesAddress: () => false,
  }
}

/** The host of an authority (`example.com:443`, `[::1]:80`), in the one spelling that is judged. Null for nonsense. */
export function parseAuthority(authority: string, defaultPort: number): HostName | null {
  if (!/^[^\s/?#@\\]+$/.test(authority)) return null
  const url = readUrl(`http://${authority}`)
  const name = url === null ? null : normalName(url.hostname)
  if (url === null || name === null) return null
  // The URL leaves out the port that is its scheme's own.
  const port = url.port !== '' ? Number(url.port) : /:0*80$/.test(authority) ? 80 : defaultPort
  return port === 0 ? null : { name, port }
}

export function hostOf(url: URL): HostName {
  const port =
    url.port !== '' ? Number(url.port) : url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80
  return { name: normalName(url.hostname) ?? url.hostname, port }
}

export function readUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null // the caller reports what is wrong with it
  }
}

/** As the URL standard spells a host (`0x7f.1` is 127.0.0.1), without brackets and without trailing dots. */
function normalName(host: string): string | null {
  const bare = unbracketed(host).replace(/\.+$/, '')
  const url = bare === '' ? null : readUrl(`http://${bare.includes(':') ? `[${bare}]` : bare}/`)
  return url === null || url.hostname === '' ? null : unbracketed(url.hostname).replace(/\.+$/, '')
}

function addressPattern(of: {
  text: string
  port: number | null
  prefix: Uint8Array
  bits: number
}): HostPattern {
  const matches = (given: string) => {
    const bytes = parseAddress(given)
    return bytes !== null && sharesPrefix(bytes, of.prefix, of.bits)
  }
  return { text: of.text, port: of.port, matchesName: matches, matchesAddress: matches }
}

function splitPort(text: string, given: string): { host: string; port: number | null } {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text)
  if (found === null) {
    if (parseAddress(text.split('/')[0] ?? '') !== null) return { host: text, port: null } // ::1, fd00::/8
    throw badPattern(given)
  }
  const port = found[2] === undefined ? null : Number(found[2])
  if (port !== null && (port < 1 || port > 65_535)) throw badPattern(given)
  return { host: found[1] ?? '', port }
}

function prefixBits(bits: string | undefined, prefix: Uint8Array, text: string): number {
  const most = prefix.length * 8
  if (bits === undefined) return most
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > most) throw badPattern(text)
  return Number(bits)
}

function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

function badPattern(text: string): OpError {
  const message = `${JSON.stringify(text)} names no host; give a name (dev.example), all names below one (*.dev.example), an address (127.0.0.1) or a block (10.0.0.0/8), each also with a port (localhost:8080)`
  return new OpError('usage', message, { host: text })
}
