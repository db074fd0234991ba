// `npm run demo:pictures`: makes the picture and the animation that the README shows, by the product itself. A session
// is recorded in which somebody types the commands of the README's first minutes, which open a session of their own.
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CLI = path.join(ROOT, 'packages/transom/dist/cli.cjs')
const IMAGES = path.join(ROOT, 'docs/images')
const IMAGE_BYTES_MAX = 300_000 // they are in the repository
const PROMPT = '$ '

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-pictures-'))
const bin = path.join(folder, 'bin')
fs.mkdirSync(bin)
fs.symlinkSync(CLI, path.join(bin, 'transom'))
const env = {
  ...process.env,
  PATH: `${bin}:${path.dirname(process.execPath)}:${process.env['PATH']}`,
  TRANSOM_HOME: path.join(folder, 'outer'),
  XDG_STATE_HOME: path.join(folder, 'state'),
  PS1: `\\[\\e[1;34m\\]${PROMPT}\\[\\e[m\\]`,
}
const inner = { ...env, TRANSOM_HOME: path.join(folder, 'inner') }

fs.writeFileSync(
  path.join(folder, 'sum.py'),
  `"""Adds numbers up."""
import sys


def total(words: list[str]) -> int:
    return sum(int(word) for word in words)


if __name__ == "__main__":
    print("sum:", total(sys.argv[1:]))
`,
)

try {
  fs.mkdirSync(IMAGES, { recursive: true })
  film()
  picture()
  for (const name of ['demo.gif', 'screenshot.png']) {
    const { size } = fs.statSync(path.join(IMAGES, name))
    console.log(`docs/images/${name}  ${size} bytes`)
    if (size > IMAGE_BYTES_MAX) throw new Error(`${name} has more than ${IMAGE_BYTES_MAX} bytes`)
  }
} finally {
  for (const home of [env, inner])
    spawnSync(process.execPath, [CLI, 'host', 'stop', '--force'], { env: home, cwd: folder })
  fs.rmSync(folder, { recursive: true, force: true })
}

function film() {
  const shell = ['--', 'bash', '--norc', '--noprofile']
  transom(
    env,
    'create',
    '--name',
    'film',
    '--cols',
    '78',
    '--rows',
    '22',
    '--env',
    `TRANSOM_HOME=${inner.TRANSOM_HOME}`,
    '--no-integration',
    ...shell,
  )
  const steps = [
    { step: 'wait', text: PROMPT },
    ...command('unset TRANSOM_SESSION; clear'),
    ...command('transom create --name edit --cols 72 --rows 12 -- vim -u NONE -N sum.py'),
    ...command(
      "transom keys edit / t o t a l Enter && transom type edit 'ifast_' && transom keys edit Escape",
    ),
    ...command('transom snapshot edit'),
    { step: 'mark', label: 'seen' },
    ...command("transom type edit ':wq' --enter && transom wait edit --exit && grep -n fast sum.py"),
    { step: 'wait', idle_ms: 1500 },
  ]
  const script = path.join(folder, 'film.json')
  fs.writeFileSync(script, JSON.stringify(steps))
  transom(env, 'batch', 'film', script)
  const seen = JSON.parse(transom(env, 'snapshot', 'film', '--json')).seq
  const out = path.join(IMAGES, 'demo.gif')
  transom(
    env,
    'export',
    'film',
    '--out',
    out,
    '--force',
    '--from-seq',
    '14',
    '--to-seq',
    String(seen),
    '--idle-limit',
    '1500ms',
    '--fps',
    '12',
  )
}

/** Typed as people type, a few characters at a time, until the shell is back. */
function command(/** @type {string} */ text) {
  const parts = text.match(/.{1,4}/gs) ?? []
  return [
    ...parts.flatMap((part) => [
      { step: 'type', text: part },
      { step: 'wait', idle_ms: 40 },
    ]),
    { step: 'keys', keys: ['Enter'] },
    { step: 'wait', regex: `(?m)^\\${PROMPT}$`, idle_ms: 700 },
  ]
}

function picture() {
  const vim = [
    'vim',
    '-u',
    'NONE',
    '-N',
    '-c',
    'syntax on',
    '-c',
    'set number laststatus=2 background=dark',
    'sum.py',
  ]
  transom(inner, 'create', '--name', 'shown', '--cols', '72', '--rows', '16', '--', ...vim)
  transom(inner, 'wait', 'shown', '--text', '__main__')
  transom(inner, 'keys', 'shown', '5', 'G', 'w')
  transom(inner, 'wait', 'shown', '--screen-stable-ms', '200')
  const out = path.join(IMAGES, 'screenshot.png')
  transom(inner, 'screenshot', 'shown', '--out', out, '--force', '--title', 'vim sum.py')
}

function transom(/** @type {NodeJS.ProcessEnv} */ home, /** @type {string[]} */ ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    env: home,
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`transom ${args.join(' ')}: exit status ${status}: ${stderr}${stdout}`)
  return stdout
}
