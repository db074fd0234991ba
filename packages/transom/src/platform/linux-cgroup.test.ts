import { spawnSync } from 'node:child_process'
import { afterAll, expect } from 'vitest'
import { needsThat } from '../../../../test/support/needs.ts'
import { forkIntoGroup, groupsOfHost, removeGroups } from './linux-cgroup.ts'
import type { Command } from './platform.ts'
import { sessionMark } from './process-tree.ts'

const HOST_MARK = BigInt(process.pid)
const MARK = sessionMark(HOST_MARK, 1)
const grouped = needsThat(
  groupsOfHost(HOST_MARK) !== null,
  'a control group (version 2) that this user may make others in',
)

afterAll(() => removeGroups(HOST_MARK))

/** What the command was started with, and where. */
function startedWith(env: Command['env']): { group: string; variables: string[] } {
  const command = { program: 'cat', argv: ['/proc/self/cgroup', '/proc/self/environ'], env }
  const { stdout } = forkIntoGroup(MARK, command, ({ program, argv, env: given }) =>
    spawnSync(program, argv, { encoding: 'utf8', cwd: '/', env: given }),
  )
  const [group = '', environ = ''] = stdout.split(/^0::/m)[1]?.split(/\n(.*)/s) ?? []
  return { group, variables: environ.split('\0').filter(Boolean).sort() }
}

grouped.for([
  { kind: 'names that a shell knows', env: { A: "it's", PS1: '$ ', PWD: '/', _: 'x', LINES: '1\n2' } },
  { kind: 'a name that a shell drops', env: { 'a-b': '1', 'BASH_FUNC_f%%': '() { :; }' } },
  { kind: 'values that a shell replaces', env: { IFS: 'x', PPID: '1', OPTIND: '7' } },
])('a command starts in its group, with the environment that it was given: $kind', ({ env }) => {
  const all: Record<string, string> = { ...env, PATH: process.env['PATH'] ?? '' }
  const started = startedWith(all)
  expect(started.group).toMatch(new RegExp(`/transom-${HOST_MARK}/1$`))
  expect(started.variables).toEqual(
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  )
})

grouped('this process stays in its own group', () => {
  startedWith({ PATH: process.env['PATH'] })
  startedWith({ PATH: process.env['PATH'], IFS: 'x' })
  const { stdout } = spawnSync('cat', ['/proc/self/cgroup'], { encoding: 'utf8' })
  expect(stdout).not.toContain(`transom-${HOST_MARK}`)
})
