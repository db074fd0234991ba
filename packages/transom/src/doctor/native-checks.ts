import { spawn } from 'node:child_process'
import * as path from 'node:path'
import type { ExitRecord } from '@transom/protocol'
import { messageOf } from '../lib/system-error.ts'
import { loadPtyBinding } from '../kinds/terminal/pty-binding.ts'
import { loadLibc } from '../platform/libc.ts'
import type { Platform } from '../platform/platform.ts'
import { createHostMark, sessionMark } from '../platform/process-tree.ts'
import { degraded, failed, ok, type Check, type Finding } from './check.ts'

const PROGRAM_TIMEOUT_MS = 5000 // a shell that prints a word
const PROBE_TEXT = 'transom: ünïcödé'
const PROBE_EXIT = 7
const REINSTALL =
  'install transom again on this machine, with optional dependencies (npm ci --include=optional)'

/** What only native code can do, and a real program on a real pty. What the system lacks is not tried. */
export function nativeChecks(platform: Platform): Check[] {
  const has = (member: keyof Platform) => platform.lacks[member] === undefined
  const hostMark = createHostMark()
  return [
    { name: 'ffi', run: checkFfi },
    { name: 'pty_binding', run: checkPtyBinding },
    { name: 'pty', run: async () => checkPty(hostMark) },
    ...(has('withProcessMark')
      ? [
          { name: 'process_marks', run: () => checkMarks(platform, hostMark) },
          { name: 'process_groups', run: () => checkGroups(platform, hostMark) },
        ]
      : []),
    ...(has('adoptOrphans') ? [{ name: 'subreaper', run: async () => checkSubreaper(platform) }] : []),
  ]
}

function checkFfi(): Finding {
  try {
    loadLibc()
    return ok('loaded, and calls the C library')
  } catch (error) {
    return failed(messageOf(error), REINSTALL)
  }
}

function checkPtyBinding(): Finding {
  try {
    loadPtyBinding()
    return ok('loaded')
  } catch (error) {
    return failed(messageOf(error), REINSTALL)
  }
}

/** Runs a program on a pty: all it prints and its exit code must come through. */
async function checkPty(hostMark: bigint): Promise<Finding> {
  const { PtySource } = await import('../kinds/terminal/pty-source.ts')
  let output = Buffer.alloc(0)
  const exit = await new Promise<ExitRecord | null>((resolve) => {
    const source = PtySource.start(
      {
        program: '/bin/sh',
        argv: ['-c', `printf '%s' '${PROBE_TEXT}'; exit ${PROBE_EXIT}`],
        env: {},
        cwd: '/',
        cols: 80,
        rows: 24,
        mark: sessionMark(hostMark, 1),
      },
      {
        turnLength: (bytes) => bytes.length,
        output: (bytes) => (output = Buffer.concat([output, bytes])),
        exiting: () => {},
        exit: resolve,
      },
    )
    AbortSignal.timeout(PROGRAM_TIMEOUT_MS).addEventListener('abort', () => {
      source.close()
      resolve(null)
    })
  })
  if (exit === null) return failed(`a shell on a pty did not end in ${PROGRAM_TIMEOUT_MS} ms`, MOUNT_PTS)
  const text = output.toString()
  if (exit.code === PROBE_EXIT && text === PROBE_TEXT)
    return ok('a program on a pty was read to its last byte')
  const seen = `printed ${JSON.stringify(text)} and ended with ${exit.signal ?? exit.code}`
  return failed(`a shell on a pty ${seen}`, MOUNT_PTS)
}

const MOUNT_PTS = 'see that /bin/sh runs and /dev/pts is mounted (mount -t devpts devpts /dev/pts)'

/** Nothing is started: this process looks at its own mark. */
const NO_COMMAND = { program: 'true', argv: [], env: {} }

function checkMarks(platform: Platform, hostMark: bigint): Finding {
  const mark = sessionMark(hostMark, 1)
  const found = platform.withProcessMark(mark, NO_COMMAND, () => platform.processMark(process.pid))
  platform.forgetHostMark(hostMark)
  if (found === mark) return ok('set and read back')
  const advice = 'allow RLIMIT_RTTIME to be set (a container’s or systemd’s LimitRTTIME)'
  return degraded('RLIMIT_RTTIME cannot be set: a process that hides may outlive its session', advice)
}

function checkGroups(platform: Platform, hostMark: bigint): Finding {
  const folder = platform.groupsOfHost(hostMark)
  if (folder !== null) return ok(`control groups in ${path.dirname(folder)}`)
  return ok(
    'no control groups for this user: a process that hides its mark and its environment may outlive its session',
  )
}

/** Orphans a grandchild by ending its shell: it must become a child of this process. */
async function checkSubreaper(platform: Platform): Promise<Finding> {
  platform.adoptOrphans()
  const shell = spawn('/bin/sh', ['-c', 'exec 3<&0; cat <&3 >/dev/null & echo $!'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let printed = ''
  shell.stdout.on('data', (chunk) => (printed += String(chunk)))
  // The orphan goes on, and lives until its input ends.
  await Promise.all([
    new Promise((resolve) => shell.on('exit', resolve).on('error', resolve)),
    new Promise((resolve) => shell.stdout.on('close', resolve)),
  ])
  const orphan = Number(printed.trim())
  const parent = platform.processFacts(orphan)?.parentPid ?? null
  shell.stdin.end()
  if (parent !== process.pid) return degraded(`an orphan went to process ${parent}`, 'use Linux 3.4 or newer')
  platform.reapChild(orphan)
  return ok('orphans come to their host')
}
