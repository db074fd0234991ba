import type { OperationName, Params, Result } from '@transom/protocol'
import { Client, type CallOptions } from './client.ts'
import { SessionHandle } from './session-handle.ts'
import type { Transport } from './transport.ts'

/** A connection to Transom: every operation by `call`, sessions as objects. Disposing of it ends no session. */
export class Transom implements AsyncDisposable {
  readonly client: Client

  constructor(transport: Transport) {
    this.client = new Client(transport)
  }

  async call<N extends OperationName>(
    operation: N,
    params: Params<N>,
    options: CallOptions = {},
  ): Promise<Result<N>> {
    return this.client.call(operation, params, options)
  }

  /** Starts a program on a terminal of its own. */
  async create(params: Params<'session.create'> = {}): Promise<SessionHandle> {
    const { session } = await this.client.call('session.create', params)
    return new SessionHandle(this.client, session)
  }

  /** A session that is there, by id, unique id prefix or name. */
  async session(ref: string): Promise<SessionHandle> {
    const { session } = await this.client.call('session.inspect', { session: ref })
    return new SessionHandle(this.client, session)
  }

  async list(params: Params<'session.list'> = {}): Promise<Result<'session.list'>['sessions']> {
    return (await this.client.call('session.list', params)).sessions
  }

  close(): void {
    this.client.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }
}
