import { OpError, isErrorCode, type ErrorDetails } from '@transom/protocol/errors'
import type { LocalCommand, LocalContext } from './local-command.ts'
import { localCommand, localParam } from './local-command.ts'
import type { HostFinder } from './host-connection.ts'

/** What gateway.mjs exports: it is large, and only these commands load it. */
export interface GatewayProgram {
  runGatewayCommand(invocation: GatewayInvocation): Promise<number>
}

export interface GatewayInvocation {
  readonly command: string
  readonly params: Readonly<Record<string, unknown>>
  readonly finder: HostFinder
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal
  readonly answer: (result: object, text: string) => void
  /** Prints a notice for the user beside the result. */
  readonly notice: (text: string) => void
}

const PROGRAM = 'gateway.mjs'

const tokenRef = localParam({
  name: 'token',
  type: 'string',
  placeholder: 'TOKEN',
  description: 'Id or name of a token.',
  required: true,
})

const serve = gatewayCommand({
  command: 'serve',
  summary: 'Serve the sessions of this Home over HTTP, WebSocket and MCP, on this machine.',
  description:
    'Every operation is at POST /v1/OPERATION with a JSON body; /openapi.json describes them. /v1/stream is a WebSocket with JSON-RPC and subscriptions, /v1/subscribe the same as Server-Sent Events, /mcp is MCP over Streamable HTTP, /metrics is for Prometheus. Every route but /healthz needs a token, which is printed at the first start and never again; "transom token create" makes others, with fewer rights. Runs until it is interrupted.',
  seeAlso: ['token create', 'login', 'mcp', 'host status'],
  examples: [
    'transom serve',
    'transom serve --listen 127.0.0.1:0 --json',
    'transom serve --unix /run/user/1000/transom.http',
    'transom serve --listen 0.0.0.0:7317 --tls-cert cert.pem --tls-key key.pem --allow-host box.lan',
  ],
  errors: ['address_refused', 'file_not_read', 'home_unwritable', 'home_untrusted', 'config_invalid'],
  params: [
    localParam({
      name: 'listen',
      type: 'string',
      flag: 'listen',
      placeholder: 'HOST:PORT',
      description: 'Where to listen; port 0 lets the system choose. Default: 127.0.0.1:7317.',
    }),
    localParam({
      name: 'unix',
      type: 'string',
      flag: 'unix',
      placeholder: 'PATH',
      description: 'Listen on a Unix socket instead, which only this user can open.',
    }),
    localParam({
      name: 'tls_cert',
      type: 'string',
      flag: 'tls-cert',
      placeholder: 'FILE',
      description: 'Certificate chain in PEM, for https.',
    }),
    localParam({
      name: 'tls_key',
      type: 'string',
      flag: 'tls-key',
      placeholder: 'FILE',
      description: 'Its private key in PEM.',
    }),
    localParam({
      name: 'allow_host',
      type: 'list',
      flag: 'allow-host',
      placeholder: 'NAME',
      description: 'Another name that clients may use for this gateway; may be given several times.',
    }),
    localParam({
      name: 'allow_origin',
      type: 'list',
      flag: 'allow-origin',
      placeholder: 'ORIGIN',
      description:
        'Pages that may call it from a browser, as in https://example.org; may be given several times.',
    }),
    localParam({
      name: 'rate_limit',
      type: 'integer',
      flag: 'rate-limit',
      placeholder: 'N',
      description: 'Requests a second with one token. Default: 2000.',
    }),
    localParam({
      name: 'insecure_without_tls',
      type: 'boolean',
      flag: 'insecure-without-tls',
      description: 'Listen at an address that other machines can reach, without TLS.',
    }),
  ],
})

const login = gatewayCommand({
  command: 'login',
  summary: 'Print an address with which a browser logs in to the gateway, once and within a minute.',
  description:
    'The page shows the sessions; its login allows to look and not to act, and lasts twelve hours or until the gateway ends. The code in the address stands behind a #, a part that browsers send to nobody. Programs use tokens instead.',
  seeAlso: ['serve', 'token create'],
  examples: ['transom login', 'transom login --url https://box.lan:7317'],
  errors: ['home_unwritable', 'home_untrusted', 'config_invalid'],
  params: [
    localParam({
      name: 'url',
      type: 'string',
      flag: 'url',
      placeholder: 'URL',
      description: 'Where the gateway listens. Default: http://127.0.0.1:7317.',
    }),
  ],
})

const tokenCreate = gatewayCommand({
  command: 'token create',
  summary: 'Make a token for the gateway and print it, this once.',
  description:
    'The scope read allows to look, operate also to act on sessions, admin everything. A token for certain sessions reaches no other, and nothing that concerns the whole Home. That limits calls, not programs: who may type into a shell acts as its user, and can read the Home with its tokens. For a token in other hands, make the session with create --isolated. Only a digest of it is kept, in gateway-tokens.json (mode 0600) of the Home.',
  seeAlso: ['create', 'token list', 'token revoke', 'serve'],
  examples: ['transom token create --scope read --name watcher', 'transom token create --session build'],
  errors: [
    'name_taken',
    'session_not_found',
    'host_unavailable',
    'home_unwritable',
    'home_untrusted',
    'config_invalid',
  ],
  params: [
    localParam({
      name: 'name',
      type: 'string',
      flag: 'name',
      placeholder: 'N',
      description: 'A name to know it by.',
    }),
    localParam({
      name: 'scope',
      type: 'string',
      flag: 'scope',
      placeholder: 'SCOPE',
      description: 'read, operate or admin.',
      default: 'operate',
      values: ['read', 'operate', 'admin'],
    }),
    localParam({
      name: 'session',
      type: 'list',
      flag: 'session',
      placeholder: 'SESSION',
      description: 'For this session only; may be given several times.',
    }),
  ],
})

const tokenList = gatewayCommand({
  command: 'token list',
  summary: 'List the tokens of the gateway: what they allow, not what they are.',
  seeAlso: ['token create', 'token revoke'],
  examples: ['transom token list'],
  errors: ['home_unwritable', 'home_untrusted', 'config_invalid'],
})

const tokenRevoke = gatewayCommand({
  command: 'token revoke',
  summary: 'Revoke a token. Streams that were opened with it end.',
  seeAlso: ['token list', 'token rotate'],
  examples: ['transom token revoke watcher'],
  errors: ['token_not_found', 'home_unwritable', 'home_untrusted', 'config_invalid'],
  positionals: ['token'],
  params: [tokenRef],
})

const tokenRotate = gatewayCommand({
  command: 'token rotate',
  summary: 'Put a new token in the place of an old one and print it, this once.',
  seeAlso: ['token revoke', 'token list'],
  examples: ['transom token rotate', 'transom token rotate watcher'],
  errors: ['token_not_found', 'home_unwritable', 'home_untrusted', 'config_invalid'],
  positionals: ['token'],
  params: [{ ...tokenRef, required: false, description: 'Id or name; else the token of the first start.' }],
})

const mcp = gatewayCommand({
  command: 'mcp',
  summary: 'Speak MCP on standard input and output, for agents that start their tools themselves.',
  description:
    'The tools are operations of this Home: sessions are started, typed into, waited for and read. A client starts this command by itself; "transom skills get setup" has the lines for common ones. Sessions outlive it.',
  seeAlso: ['serve', 'skills list'],
  examples: ['transom mcp', 'transom mcp --tools pty'],
  errors: ['usage', 'host_unavailable', 'home_untrusted'],
  params: [
    localParam({
      name: 'tools',
      type: 'string',
      flag: 'tools',
      placeholder: 'SET',
      description: 'transom, or pty for the operations pty.* under their own names.',
      default: 'transom',
      values: ['transom', 'pty'],
    }),
  ],
})

export const GATEWAY_COMMANDS: readonly LocalCommand[] = [
  serve,
  mcp,
  login,
  tokenCreate,
  tokenList,
  tokenRevoke,
  tokenRotate,
]

function gatewayCommand(given: Omit<Parameters<typeof localCommand>[0], 'run'>): LocalCommand {
  return localCommand({ ...given, run: (context) => runInGateway(given.command, context) })
}

async function runInGateway(command: string, context: LocalContext): Promise<number> {
  const { cli, params, answer } = context
  const program = (await context.loadProgram(PROGRAM)) as GatewayProgram // built beside this one
  const notice = (text: string) => cli.err(`${cli.program}: ${text}`)
  try {
    return await program.runGatewayCommand({
      command,
      params,
      finder: context.host(),
      signal: cli.signal,
      answer,
      notice,
    })
  } catch (error) {
    throw asOwnError(error)
  }
}

/** The other bundle has an OpError of its own, which is no instance of this one's. */
function asOwnError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !isErrorCode(error.code)) return error
  const details = 'details' in error ? (error.details as ErrorDetails) : {}
  return new OpError(error.code, error.message, details, { cause: error })
}
