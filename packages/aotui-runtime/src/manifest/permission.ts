import { isAbsolute, resolve, sep } from 'node:path'

/**
 * `resource:action[:scope]` (spec section 3.5). Nothing is granted that the manifest does not name.
 *
 * | permission | scope |
 * | --- | --- |
 * | fs:read, fs:write | a folder or file; `*` is everything; `${appDir}` and `${dataDir}` are known |
 * | net:http | a host, `*.host` for its subdomains, `*`; ports 80 and 443 unless `host:port` says another |
 * | net:tcp | the same, every port unless one is named |
 * | child:spawn | a program's name, or none for every program |
 * | env:read | a variable's name, or `*` for all |
 */
export interface Permission {
  readonly resource: 'fs' | 'net' | 'child' | 'env'
  readonly action: 'read' | 'write' | 'http' | 'tcp' | 'spawn'
  readonly scope?: string
}

const FORMS: Readonly<Record<string, { scope: 'required' | 'optional' }>> = {
  'fs:read': { scope: 'required' },
  'fs:write': { scope: 'required' },
  'net:http': { scope: 'required' },
  'net:tcp': { scope: 'required' },
  'child:spawn': { scope: 'optional' },
  'env:read': { scope: 'required' },
}

/** The permission, or what is wrong with the text. */
export function parsePermission(text: string): Permission | { problem: string } {
  const [resource = '', action = '', ...rest] = text.split(':')
  const form = FORMS[`${resource}:${action}`]
  if (form === undefined) {
    return { problem: `"${text}" is not a known permission; known are ${Object.keys(FORMS).join(', ')}` }
  }
  const scope = rest.join(':')
  if (scope === '' && form.scope === 'required') {
    return { problem: `"${text}" needs a scope: ${resource}:${action}:<scope>` }
  }
  if (
    resource === 'fs' &&
    scope !== '*' &&
    !isAbsolute(expandFolders(scope, { appDir: '/', dataDir: '/' }))
  ) {
    return { problem: `"${text}" needs an absolute path, "*", or one under \${appDir} or \${dataDir}` }
  }
  // Node's flags split at commas and read a star as a wildcard: such a path would grant something else.
  if (resource === 'fs' && scope !== '*' && /[,*]/.test(scope)) {
    return { problem: `"${text}" may hold neither "," nor "*"; a folder stands for all that is in it` }
  }
  if (resource === 'net' && !/^(\*|(\*\.)?[a-z0-9.-]+|\[[0-9a-f:]+\])(:(\d{1,5}|\*))?$/i.test(scope)) {
    return { problem: `"${text}" needs a host such as example.com, *.example.com, localhost:8080 or *` }
  }
  return {
    resource: resource as Permission['resource'],
    action: action as Permission['action'],
    ...(scope === '' ? {} : { scope }),
  }
}

export function expandFolders(scope: string, folders: { appDir: string; dataDir?: string }): string {
  return scope
    .replaceAll('${appDir}', folders.appDir)
    .replaceAll('${dataDir}', folders.dataDir ?? '${dataDir}')
}

export function isPathInside(path: string, scopes: readonly string[]): boolean {
  const full = resolve(path)
  return scopes.some(
    (scope) => scope === '*' || full === scope || full.startsWith(scope.endsWith(sep) ? scope : scope + sep),
  )
}

const HTTP_PORTS = [80, 443]

/** The net permission that allows the connection, or the exact one that is missing. */
export function judgeConnection(
  net: readonly string[],
  host: string,
  port: number,
): { allowedBy: string } | { missing: string } {
  const allowedBy = net.find((text) => allowsConnection(text, host.toLowerCase(), port))
  if (allowedBy !== undefined) return { allowedBy }
  const name = host.includes(':') ? `[${host}]` : host
  return { missing: HTTP_PORTS.includes(port) ? `net:http:${name}` : `net:tcp:${name}:${port}` }
}

function allowsConnection(text: string, host: string, port: number): boolean {
  const [, action = '', ...rest] = text.split(':')
  const { host: pattern, port: portText } = splitHostPort(rest.join(':').toLowerCase())
  if (
    portText === undefined
      ? action === 'http' && !HTTP_PORTS.includes(port)
      : portText !== '*' && Number(portText) !== port
  ) {
    return false
  }
  if (pattern === '*') return true
  // *.x.com is the subdomains of x.com and not x.com itself.
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
  return host === pattern
}

export function splitHostPort(text: string): { host: string; port?: string } {
  const bracketed = /^\[([^\]]+)\](?::(.+))?$/.exec(text)
  const plain = bracketed ?? /^([^:]*)(?::(.+))?$/.exec(text)
  const port = plain?.[2]
  return { host: plain?.[1] ?? text, ...(port === undefined ? {} : { port }) }
}

export function judgeSpawn(
  spawn: readonly string[],
  program: string,
): { allowed: true } | { missing: string } {
  const name = program.split(sep).at(-1) ?? program
  if (spawn.some((scope) => scope === '*' || scope === program || scope === name)) return { allowed: true }
  return { missing: `child:spawn:${name}` }
}
