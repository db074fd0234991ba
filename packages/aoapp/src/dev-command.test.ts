import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, expect, it } from 'vitest'
import { makeTempDir } from '../../aotui-runtime/test-support/app-folder.ts'
import { buildRuntime } from '../../aotui-runtime/test-support/runtime-build.ts'
import { keepOutput, makeProject } from '../test-support/app-project.ts'
import { devCommand } from './dev-command.ts'

const WAIT_MS_MAX = 20_000 // for what should be there at once on an idle machine

beforeAll(() => buildRuntime())

it('aoapp dev runs commands, reloads on save with the data, and tells what the app prints', async () => {
  const dir = makeProject()
  const input = new PassThrough()
  const written = watchedOutput()
  const ended = devCommand({ dir, input, signal: new AbortController().signal }, written.output)
  await written.until('- [Add](operation:add)')
  input.write('execute add --text kept\n')
  await written.until('1. [kept](item:notes[0])')

  const main = join(dir, 'main.mjs')
  writeFileSync(
    main,
    `${readFileSync(main, 'utf8').replace('>Add<', '>Add a note<')}\nconsole.log('loaded anew')`,
  )
  await written.until('- [Add](operation:add): Add a note')
  expect(written.text()).toMatch(/info: loaded anew at main\.mjs:\d+:9[^]*\nreloaded\n[^]*1\. \[kept\]/)

  input.write('execute nothing\n')
  await written.until('offers no operation "nothing"')
  input.write('execute add --text boom\n')
  await written.until(/error: the app's handler failed: boom at main\.mjs:\d+:\d+/)

  writeFileSync(main, `${readFileSync(main, 'utf8')}\nnull.x`)
  await written.until('the app does not run')
  writeFileSync(main, readFileSync(main, 'utf8').replace('\nnull.x', ''))
  await written.until(/does not run[^]*reloaded\n[^]*1\. \[kept\]/)

  input.write(':reset\n')
  await written.until(/does not run[^]*\[kept\][^]*\(empty\)/)
  input.end()
  await ended
})

it('aoapp dev in a folder that holds no app says so, and ends with its input or when it is interrupted', async () => {
  for (const isInterrupted of [false, true]) {
    const input = new PassThrough()
    const controller = new AbortController()
    const written = watchedOutput()
    const ended = devCommand({ dir: makeTempDir(), input, signal: controller.signal }, written.output)
    await written.until('aoapp.json')
    input.write('execute add\n')
    await written.until('the app is not open yet')
    if (isInterrupted) controller.abort()
    else input.end()
    expect(await ended).toBe(undefined)
  }
})

/** An output that can be waited for. */
function watchedOutput() {
  const output = keepOutput()
  const waiting = new Set<() => void>()
  const text = () => output.lines.join('\n')
  const notify = () => {
    for (const check of waiting) check()
  }
  return {
    text,
    output: {
      ...output,
      line: (line: string) => {
        output.line(line)
        notify()
      },
      developerLine: (line: Parameters<typeof output.developerLine>[0]) => {
        output.developerLine(line)
        notify()
      },
    },
    until: (what: string | RegExp) =>
      new Promise<void>((resolve, reject) => {
        const fail = () => reject(new Error(`waited for ${what}; written was\n${text()}`))
        const timer = setTimeout(fail, WAIT_MS_MAX)
        const check = () => {
          if (typeof what === 'string' ? !text().includes(what) : !what.test(text())) return
          waiting.delete(check)
          clearTimeout(timer)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
