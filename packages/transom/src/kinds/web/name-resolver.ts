import * as dns from 'node:dns/promises'
import * as fs from 'node:fs/promises'
import { parseAddress } from './ip-ranges.ts'

/** The addresses of a name; empty if it has none. Rejects if no name server could be asked. */
export type ResolveName = (name: string) => Promise<readonly string[]>

const QUERY_TIMEOUT_MS = 4000
const QUERY_TRIES = 2
const HOSTS_FILE = '/etc/hosts'
const ADDRESSES_MAX = 32 // more than any real server returns; a longer answer is an attack

/**
 * Resolves by the machine's name servers and its hosts file, without the C library: that would take one of the four
 * threads that this process writes its files with, for as long as a page's dead name server likes.
 */
export function systemResolver(): ResolveName {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  return async (name) => {
    const listed = hostsEntries(await fs.readFile(HOSTS_FILE, 'utf8').catch(() => ''), name) // it need not exist
    if (listed.length > 0) return listed
    const answers = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected' && !isNoSuchName(answer.reason))
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason
    return addresses.slice(0, ADDRESSES_MAX)
  }
}

/** The addresses of a name in a hosts file. */
export function hostsEntries(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return names.includes(name) && parseAddress(address) !== null ? [address] : []
  })
}

function isNoSuchName(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOTFOUND' || code === 'ENODATA'
}
