import { cFunction, getsockopt, posix, systemCallFailed } from './libc.ts'
import type { Platform } from './platform.ts'

const getpeereid = cFunction('int getpeereid(int fd, _Out_ uint32_t *uid, _Out_ uint32_t *gid)')
const SOL_LOCAL = 0
const LOCAL_PEERPID = 2

/**
 * macOS. It has no /proc, no process marks and no subreaper: `lacks` says for each member what that means, and the doctor
 * lists it. Installed and started, but not tested in CI.
 */
export const darwin: Platform = {
  name: 'darwin',
  ...posix({ FIONREAD: 0x4004667f, TCIFLUSH: 1, ICANON: 0x100, localFlagsAt: 24 }),

  lacks: {
    listProcesses: 'when a session ends, only its first process is killed: others may outlive it',
    processFacts:
      'the program in front is not known: status does not name it, and "run" may not notice a nested shell',
    programName: 'status and waits do not name the program that waits for input',
    programFile: 'pty.end_session does not know exit commands, and uses Ctrl+C and signals',
    programArguments: '"run" does not recognize a nested shell that is not integrated',
    ownArguments: 'an argument that is not UTF-8 is not refused: other characters take its place',
    ignoresTerm: 'a shell that ignores SIGTERM is killed after a grace period instead of being hung up',
    withProcessMark: 'a process that leaves its terminal may outlive its session',
    processMark: 'if a host is killed, programs of its sessions that ignore the hang-up stay',
    programEnvironment:
      'a process that has left its terminal and its parents is not found by its environment',
    adoptOrphans: 'orphans of a session go to launchd, and their end is not noticed',
    ownChildren: 'children that the host does not wait for itself are not reaped',
    terminalWait:
      '"wait --needs-input" cannot tell whether a program reads its terminal, only whether it echoes',
    relayedTerminals:
      'what a program behind "script" or tmux waits for is not known, only what those themselves wait for',
    returnFreedMemory:
      'after a flood of output, a host may keep some megabytes of memory that it does not use',
    loopbackPeerUid:
      'the proxy of web sessions asks the browser for a password instead of asking the kernel for its user',
    localPeerUids:
      'when the gateway has too many connections, it tells their users apart by their addresses only',
  },

  listProcesses: () => null,
  processFacts: () => null,
  programName: () => null,
  programFile: () => null,
  programArguments: () => [],
  ownArguments: () => [],
  ignoresTerm: () => false,

  withProcessMark: (_mark, command, fork) => fork(command),
  processMark: () => null,
  clearProcessMark: () => {},
  processesUnderMark: () => [],
  groupsOfHost: () => null,
  forgetMark: () => {},
  forgetHostMark: () => {},
  programEnvironment: () => [],

  adoptOrphans: () => {},
  ownChildren: () => [],

  returnFreedMemory: () => {},

  terminalWait: () => ({ blocked: null, shown: false }),
  relayedTerminals: () => [],

  peerCredentials(fd) {
    const uid = new Uint32Array(1)
    if (getpeereid(fd, uid, new Uint32Array(1)) !== 0) throw systemCallFailed('getpeereid')
    const pid = new Uint32Array(1)
    const hasPid = getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, pid, new Uint32Array([4])) === 0
    return { uid: uid[0] ?? -1, pid: hasPid ? (pid[0] ?? null) : null }
  },
  loopbackPeerUid: async () => null,
  localPeerUids: () => new Map(),

  hiddenSources: () => [],
}
