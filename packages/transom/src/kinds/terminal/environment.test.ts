import { expect, test } from 'vitest'
import { cleanEnvironment, programEnvironment } from './environment.ts'

test('a clean environment has what describes the machine and its user, and nothing else', () => {
  const machine = { PATH: '/bin', HOME: '/home/me', USER: 'me', LANG: 'en_GB.UTF-8', LC_TIME: 'C', TZ: 'UTC' }
  const secrets = {
    API_KEY: 's3cret',
    AWS_SECRET_ACCESS_KEY: 'x',
    LC_KEY1: 'x',
    NODE_OPTIONS: '-r x',
    LD_PRELOAD: 'x',
  }
  expect(cleanEnvironment({ ...machine, ...secrets, SHELL: undefined })).toEqual(machine)
})

test('a program gets what was set on top of it, and a description of its own terminal', () => {
  const env = programEnvironment({ base: { PATH: '/bin', TMUX: 'x' }, set: { A: '1' }, session: 's' })
  expect(env).toEqual({
    PATH: '/bin',
    A: '1',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    TRANSOM_SESSION: 's',
    LANG: 'C.UTF-8',
  })
})
