import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { until } from './until.ts'

/** OpenSSH's server makes its folder for a child without rights there, and starts only by its full name. */
const SERVER = '/usr/sbin/sshd'
const PRIVILEGE_FOLDER = '/run/sshd'

/** A server of ssh on loopback, with keys and a configuration of its own. It takes the user who runs the tests. */
export class SshServer {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #port: number

  private constructor(process: ChildProcess, folder: string, port: number) {
    this.#process = process
    this.#folder = folder
    this.#port = port
  }

  static async start(folder: string): Promise<SshServer> {
    fs.mkdirSync(folder, { mode: 0o700 })
    fs.mkdirSync(PRIVILEGE_FOLDER, { recursive: true, mode: 0o755 })
    for (const key of ['host_key', 'user_key'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(folder, key)])
    const port = await freePort()
    const settings = [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${folder}/host_key`,
      `AuthorizedKeysFile ${folder}/user_key.pub`,
      `PidFile none`,
      'PermitRootLogin yes',
      'PasswordAuthentication yes', // it asks for one, and takes none: the account has none
      'UsePAM no',
      'StrictModes no', // the folder of temporary files belongs to all
      'PrintMotd no',
      'PrintLastLog no',
      'PermitUserRC no',
    ]
    fs.writeFileSync(path.join(folder, 'sshd_config'), settings.join('\n'))
    const server = spawn(SERVER, ['-D', '-e', '-f', path.join(folder, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    server.stderr.on('data', (chunk) => (said += String(chunk)))
    await until('sshd listens', () => {
      if (server.exitCode !== null) throw new Error(`sshd: ${said}`)
      return said.includes('Server listening')
    })
    return new SshServer(server, folder, port)
  }

  /** A command line that logs in by key and asks nothing. */
  login(...options: string[]): string {
    return this.client('-o StrictHostKeyChecking=no', '-o UserKnownHostsFile=/dev/null', ...options)
  }

  /** A command line without an answer to any question. */
  client(...options: string[]): string {
    const own = ['-F none', '-o LogLevel=ERROR', '-o IdentityAgent=none', `-i ${this.#folder}/user_key`]
    return ['ssh', ...own, `-p ${this.#port}`, ...options, '127.0.0.1'].join(' ')
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.on('exit', resolve))
    this.#process.kill()
    await ended
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo // as it listens on TCP
  await new Promise((resolve) => server.close(resolve))
  return port
}
