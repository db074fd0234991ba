/**
 * What the operating system gives beyond Node. Nothing outside this folder reads /proc, calls the C library or asks which
 * system it is on. Importing it loads nothing: the C library is loaded at the first call that needs it.
 */
export interface Platform {
  readonly name: 'linux' | 'darwin'
  /** What does not work here, by member, and what that means to a user. Such a member does nothing or knows nothing. */
  readonly lacks: Readonly<Partial<Record<keyof Platform, string>>>

  /** Takes the exclusive lock on an open file; false if another process holds it. Released when the fd closes. */
  tryLockFile(fd: number): boolean
  /** Whether the lock on an open file is held. Takes it, shared, for an instant. */
  isFileLocked(fd: number): boolean
  /** Like tryLockFile(), for a file whose lock other processes check: a check does not make it fail. */
  tryLockWatchedFile(fd: number): boolean
  /** Blocks the whole process until the lock is free: only for a process that has nothing else to do yet. */
  lockFileBlocking(fd: number): void

  /** Every process but zombies and kernel threads; null if the system has no such list. */
  listProcesses(): ProcessFacts[] | null
  /** Null if there is no such process, or nothing is known of it. */
  processFacts(pid: number): ProcessFacts | null
  /** A process's name as the kernel has it, which a program may change; null if there is no such process. */
  programName(pid: number): string | null
  /** The file that a process runs; null if there is no such process, or it is another user's. */
  programFile(pid: number): string | null
  /** The arguments that a program was started with, its name first; empty if they are not known. */
  programArguments(pid: number): string[]
  /** The arguments of this process in bytes, its name first; empty if they are not known. */
  ownArguments(): Uint8Array[]
  /** Whether a process ignores SIGTERM, as interactive shells do. */
  ignoresTerm(pid: number): boolean

  /**
   * Runs `fork` while this process carries a mark, which the child and all its descendants inherit (ADR 004). If the
   * system does not let it be set, the child has no mark. `fork` gets the command to start: the given one, or one that
   * becomes it (ADR 051).
   */
  withProcessMark<T>(mark: bigint, command: Command, fork: (command: Command) => T): T
  /** The mark of a process; null if it has none. */
  processMark(pid: number): bigint | null
  /** Removes a mark that this process inherited: a host that is started inside a session must outlive that. */
  clearProcessMark(): void
  /** The processes that the kernel has kept together under a mark; none where it does not (ADR 051). */
  processesUnderMark(mark: bigint): number[]
  /** Where the kernel keeps together the processes under the marks of a host; null where it does not. */
  groupsOfHost(hostMark: bigint): string | null
  /** Removes what is kept for a mark, or for all marks of a host, where no process is left. */
  forgetMark(mark: bigint): void
  forgetHostMark(hostMark: bigint): void
  /** The variables that a program was started with, as NAME=VALUE; empty if they are not known. */
  programEnvironment(pid: number): string[]

  /** From now on this process becomes the parent of every orphan below it, and gets SIGCHLD when one ends. */
  adoptOrphans(): void
  /** The children of this process, those included that it adopted. */
  ownChildren(): number[]
  /** Takes a dead child off the process table. It must not be one that libuv or the pty binding waits for. */
  reapChild(pid: number): void

  /** Whether the terminal echoes what is typed, and whether it collects lines (ICANON). */
  terminalAttributes(fd: number): { echo: boolean; canonical: boolean }
  /** How much a terminal holds that its program could read and has not; whole lines only, if it collects lines. */
  unreadInputBytes(fd: number): number
  /** Reads what the master of a pty has, without waiting, and returns its length; 0 if it has nothing or has failed. */
  readTerminal(fd: number, into: Uint8Array): number
  /** Discards what was typed and not read. */
  forgetInput(fd: number): void
  /** Whether a process is blocked on input from a terminal, which is given by its device number. */
  terminalWait(pid: number, terminal: number): TerminalWait
  /** The terminals behind a process that passes input on: it waits for what their programs print. */
  relayedTerminals(pid: number): RelayedTerminal[]

  /** The process at the other end of a connected Unix socket, as the kernel knew it when the two were connected. */
  peerCredentials(fd: number): PeerCredentials
  /** The user whose process opened a TCP connection to this one over loopback; null if that is not known. */
  loopbackPeerUid(connection: LoopbackConnection): Promise<number | null>
  /** The users of this machine's sockets that are connected to a TCP port, by `address:port` of their own end. */
  localPeerUids(ownPort: number): ReadonlyMap<string, number>

  /** Returns to the system what the C library's allocator keeps of freed memory: some milliseconds at most. */
  returnFreedMemory(): void

  /** What the members above read and cannot read here, because it is hidden or the kernel lacks it. */
  hiddenSources(): string[]
}

/** By it a program knows its session. A host that a program starts does not inherit it: it outlives the session. */
export const SESSION_VARIABLE = 'TRANSOM_SESSION'

/** A mark's lower bits are the session's; its upper ones name the host. */
export const MARK_SESSION_BITS = 20n

export interface Command {
  readonly program: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ProcessFacts {
  readonly pid: number
  /** The kernel's letter: `Z` for a zombie. */
  readonly state: string
  readonly parentPid: number
  readonly group: number
  readonly sid: number
  /** The device number of its controlling terminal; 0 without one. */
  readonly terminal: number
  /** The process group in front on its terminal; null without a terminal. */
  readonly foregroundGroup: number | null
  /** Whether it started its program itself; a subshell runs the program of its parent. */
  readonly hasExecuted: boolean
}

export interface TerminalWait {
  /** The system call that waits, and for which descriptor; null if none waits for the terminal. */
  readonly blocked: { readonly call: string; readonly fd: number } | null
  /** Whether the system shows what the process waits for. */
  readonly shown: boolean
}

/** A terminal that another program made and reads the output of: `script`, `tmux`, apt for dpkg. */
export interface RelayedTerminal {
  /** Its device number. */
  readonly device: number
  /** The file that opens it. */
  readonly path: string
}

export interface PeerCredentials {
  readonly uid: number
  /** Null where the system does not report it. */
  readonly pid: number | null
}

/** Both ends of a TCP connection on 127.0.0.1. */
export interface LoopbackConnection {
  readonly peerPort: number
  readonly ownPort: number
}
