import type { z } from 'zod'
import type {
  Actor,
  CreatedEvent,
  EventType,
  ExitRecord,
  Fact,
  FactType,
  ParsedParams,
  Writer,
} from '@transom/protocol'
import type { CanonicalText, TextSpan } from '@transom/grid'
import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import type { Scope } from '../lib/scope.ts'
import type { LogRecord } from '../log/record.ts'
import type { Frame } from '../terminal/emulator.ts'
import type { MouseAction } from '../terminal/mouse-encoding.ts'
import type { Capabilities, Capability } from './capabilities.ts'
import type { FailureCause } from './lifecycle.ts'
import type { PauseReason } from './pause-reasons.ts'
import type { Projection } from './projection.ts'

/** What is known of a kind of session wherever logs are read, also without a host. */
export interface KindView {
  readonly name: string
  /** How a message names a session of this kind: "a terminal". */
  readonly words: string
  /** What its sessions can do, for those that have ended, too. */
  readonly capabilities: ReadonlySet<Capability>
  /** The type of the records by which it shows something. */
  readonly shows: EventType
  /** Names what makes the screen of the records, with its version; for a kind where that may change. */
  readonly engine?: string
  /** The state of a session at its beginning. */
  project(created: CreatedEvent): Projection
  /** The state at a checkpoint; null for one of another version. For a kind whose projections have checkpoints. */
  readonly restore?: (created: CreatedEvent, checkpoint: Uint8Array) => Projection | null
  /** The bytes of a record that, written to a terminal, show what the session showed; for a kind that prints bytes. */
  readonly printedBytes?: (record: LogRecord) => Uint8Array | null
  /** Everything that a session showed, as text, from its records. */
  exportText(created: CreatedEvent): TextExport
}

/** Turns records into text, one after another. */
export interface TextExport {
  take(record: LogRecord): Uint8Array[]
  end(): Uint8Array[]
}

/** A kind of session: what it is created with, where its events come from, what they show. */
export interface KindDefinition<Options = unknown, P extends Projection = Projection> extends KindView {
  /** What `create` takes beside what every kind does. Strict: a key of another kind is refused. */
  readonly options: z.ZodType<Options>
  /** Whether a request that names no kind means this one. */
  isMeantBy(options: Readonly<Record<string, unknown>>): boolean
  project(created: CreatedEvent): P
  /** Checks what can be checked before the session has a folder. Throws for what cannot be started. */
  plan(request: KindRequest<Options>): SessionPlan<P>
  /** Removes what the source of a session has left whose host was lost. */
  clear?(home: Home, manifest: Manifest): Promise<void>
}

export interface KindRequest<Options> {
  readonly id: string
  readonly common: CommonRequest
  readonly options: Options
}

/** What every kind of session is created with. */
export type CommonRequest = Pick<
  ParsedParams<'session.create'>,
  | 'name'
  | 'cols'
  | 'rows'
  | 'cwd'
  | 'base_env'
  | 'idle_timeout_ms'
  | 'quota_bytes'
  | 'quota_policy'
  | 'lease_policy'
> & {
  /** The conversation whose shell it is, and how many blocks it has had. */
  readonly follows?: { readonly conversation: string; readonly lastOrdinal: number }
}

/** A session that can be started, as far as that is known before it has a folder. */
export interface SessionPlan<P extends Projection = Projection> {
  readonly about: Pick<Manifest, 'command' | 'url' | 'cwd' | 'cols' | 'rows' | 'isolated'>
  /** What its first record says beside that. */
  readonly created?: Pick<CreatedEvent, 'scrollback'>
  start(start: SourceStart<P>): Source
}

export interface SourceStart<P extends Projection = Projection> {
  readonly manifest: Manifest
  readonly projection: P
  readonly sink: EventSink
  /** Owns every task and callback of the source. */
  readonly scope: Scope
  /** Who creates the session. */
  readonly actor: Actor
}

/** What is done to a session of any kind. */
export type Act =
  /** Types a text as at the keyboard: line breaks are the Enter key. Of a secret, only the length is logged. */
  | { readonly act: 'type'; readonly text: string; readonly secret?: boolean }
  /** Presses keys, by their names. */
  | { readonly act: 'keys'; readonly keys: readonly string[] }
  /** Puts a text in at once, as from a clipboard. */
  | { readonly act: 'paste'; readonly text: string }
  | { readonly act: 'mouse'; readonly mouse: MouseAction }
  | { readonly act: 'resize'; readonly cols: number; readonly rows: number }

export interface Acted {
  /** Of the input's record. */
  readonly seq: number
  /** Of a paste: whether it was sent in brackets that mark it as one. */
  readonly bracketed?: boolean
}

/** Where the events of one session come from. */
export interface Source {
  readonly capabilities: Partial<Capabilities>
  /** Resolves when it takes acts, if that is not at once: a browser takes a while to start. */
  readonly opened?: Promise<void>
  /** Carries out an act that the session may take. It is logged before it can be seen. */
  act(act: Act, writer: Writer): Promise<Acted>
  /** Stops emitting while there are reasons to. */
  pause(reasons: ReadonlySet<PauseReason>): void
  /** Ends every process; returns those that could not be ended. The exit is reported to the sink. */
  end(): Promise<readonly number[]>
  /** Releases what is held. Nothing is emitted afterwards. */
  close(): void
  /** Input that it has not taken, in bytes. */
  readonly queuedBytes?: number
  /** Drops input that has not reached the program. */
  dropQueued?(): void
  /** Whether more is sure to come without an input: a page that loads. */
  readonly busy?: boolean
  /** Brings the projection up to date, for a source that is not read all the time. */
  refresh?(): Promise<void>
  /** Takes every record of the session after it was applied to the projection. */
  recorded?(record: LogRecord): void
  /** Emits at the full rate until the returned function is called. */
  watch?(): () => void
  /** Where the text typed at or after `seq` is echoed on the screen. */
  echoes?(seq: number, frame: Frame, canonical: CanonicalText): readonly TextSpan[]
}

/** The records of what callers do to a session. */
export type ActType = 'input' | 'signal' | 'resize' | 'web_input'

/** Takes the events of a source: into the log, then to the projection, then to those that wait. */
export interface EventSink {
  /** The source runs, as this process. */
  started(pid: number): void
  /** Records what the source shows, as the kind's `shows`. Kept in order, and retried while the disk is full. */
  output(bytes: Uint8Array, onRecorded?: () => void): void
  /** Records a fact or bytes beside what is shown. As output(). */
  append<T extends FactType>(type: T, fact: Fact<T>, onRecorded?: () => void): void
  appendBytes(type: EventType, bytes: Uint8Array, onRecorded?: () => void): void
  /**
   * Records an act that is about to take effect, at once. Throws if the disk refuses, or if the writer has lost its
   * right to write meanwhile. Returns its seq.
   */
  act<T extends ActType>(type: T, act: Omit<Fact<T>, keyof Actor>, writer: Writer): number
  /** Whether a writer may still write. */
  mayWrite(writer: Writer): boolean
  /** An input that was committed is on its way to the source. */
  entered(seq: number): void
  /** Announces what was committed and is no input. */
  changed(): void
  /** Runs once everything output and appended before it is recorded. */
  after(run: () => void): void
  /** What the manifest says of the session. */
  describe(change: Partial<Pick<Manifest, 'cols' | 'rows' | 'url' | 'unsandboxed'>>): void
  /** The program has ended; some of what it printed may still be on the way. */
  exiting(): void
  /** The program has ended, and everything that it printed was output. */
  exited(exit: ExitRecord): void
  /** The source has ended and cannot be restarted. */
  lost(reason: string, cause: FailureCause): void
}
