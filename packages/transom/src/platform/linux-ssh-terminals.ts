import { listProcesses, programEnvironment, readOf } from './linux-processes.ts'
import { CONNECTION_TABLES, parseConnection } from './proc-texts.ts'

/**
 * The numbers in /dev/pts of the terminals that a server of ssh made for connections of a client on this machine.
 * The first program on such a terminal knows its connection by SSH_CONNECTION and the terminal by SSH_TTY. The server's
 * own descriptors would show both, too, but only to root. Of a server on another machine, in a container or behind a
 * forwarded port nothing is found: its programs are not here, or know the connection by other addresses.
 */
export function terminalsOverSsh(clientPid: number, sockets: ReadonlySet<number>): number[] {
  if (sockets.size === 0) return []
  const connections = connectionsOf(clientPid, sockets).map(
    ({ own, peer }) => `SSH_CONNECTION=${own} ${peer}`,
  )
  if (connections.length === 0) return []
  return listProcesses()
    .filter(({ pid, sid, terminal }) => pid === sid && terminal !== 0)
    .flatMap(({ pid }) => {
      const environment = programEnvironment(pid)
      if (!connections.some((connection) => environment.includes(connection))) return []
      const number = environment.map((each) => /^SSH_TTY=\/dev\/pts\/(\d+)$/.exec(each)?.[1]).find(Boolean)
      return number === undefined ? [] : [Number(number)]
    })
}

/** Both ends of those of the sockets that are connected by TCP. The tables are those of the process's network. */
function connectionsOf(pid: number, sockets: ReadonlySet<number>): { own: string; peer: string }[] {
  return CONNECTION_TABLES.flatMap(({ file }) => {
    const table = readOf(pid, file.replace('/proc/', ''), (text) => text) ?? ''
    return [...sockets].flatMap((socket) => parseConnection(table, socket) ?? [])
  })
}
