import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createDesktop, destroyDesktop } from '@aotui/runtime'
import { keyEvent, type PersonsTerminal, type TerminalEvent } from '@transom/tui'
import type { Grid } from '@transom/grid'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeTempDir } from '../../../aotui-runtime/test-support/app-folder.ts'
import { buildRuntime } from '../../../aotui-runtime/test-support/runtime-build.ts'
import { makeProject } from '../../test-support/app-project.ts'
import { AppSource } from './app-source.ts'
import { inspect } from './inspect-command.ts'
import { serveInspector, SocketSource } from './inspector-socket.ts'

beforeAll(() => buildRuntime())

const WAIT_MS_MAX = 20_000 // for what should be there at once on an idle machine

/** A person at a terminal of our own: reads the Grid, types, and waits for what should be seen. */
class Person implements PersonsTerminal {
  readonly cols = 110
  readonly rows: number
  #grid: Grid | undefined
  #listener: (event: TerminalEvent) => void = () => undefined
  readonly #waiting = new Set<() => void>()

  constructor(rows = 30) {
    this.rows = rows
  }

  show(grid: Grid): void {
    this.#grid = grid
    for (const check of this.#waiting) check()
  }

  listen(listener: (event: TerminalEvent) => void): void {
    this.#listener = listener
  }

  get screen(): string {
    const grid = this.#grid
    return grid === undefined
      ? ''
      : Array.from({ length: grid.rows }, (_, row) => grid.lineOf(row)).join('\n')
  }

  press(...keys: string[]): void {
    for (const name of keys) {
      const [, modifier, key = name] = /^(Ctrl|Shift)\+(.+)$/.exec(name) ?? []
      const modifiers = { ctrl: modifier === 'Ctrl', shift: modifier === 'Shift', alt: false, super: false }
      this.#listener(keyEvent(key, modifiers))
    }
  }

  type(text: string): void {
    for (const character of text) this.press(character)
    this.press('Enter')
  }

  see(what: string | RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`waited for ${what}; the screen shows\n${this.screen}`))
      const timer = setTimeout(fail, WAIT_MS_MAX)
      const check = () => {
        if (typeof what === 'string' ? !this.screen.includes(what) : !what.test(this.screen)) return
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }
}

describe('the inspector', () => {
  it('shows the Markdown, changes, logs, console and processes of an app, and runs commands', async () => {
    const dir = makeProject({
      'aoapp.json':
        '{"id": "com.example.notes", "name": "Notes", "entry": "main.mjs", "permissions": ["net:http:example.com"]}',
    })
    const main = join(dir, 'main.mjs')
    const text = readFileSync(main, 'utf8')
    writeFileSync(main, `import fs from 'node:fs'\ntry { fs.readFileSync('/etc/passwd') } catch {}\n${text}`)
    const person = new Person()
    const ended = inspect({ terminal: person, source: new AppSource(dir), now: Date.now })
    await person.see('- [Add](operation:add)')

    person.type('execute add --text first')
    await person.see('1. [first](item:notes[0])')
    person.press('F2')
    await person.see(/^\+ 1\. \[first\]/m)
    expect(person.screen).toMatch(/^- \(empty\)/m)
    person.press('Tab')
    await person.see(
      /command \([\d.]+ ms\) <context app_id="app_1">execute add --text first<\/context>: done/,
    )
    expect(person.screen).toMatch(/signal dom_mutation/)
    expect(person.screen).toMatch(/operation app_1 1\. execute add: done/)

    person.type('execute add --text boom')
    await person.see("the app's handler failed: boom")
    person.press('F4')
    await person.see(/app_1 error: the app's handler failed: boom \(main\.mjs:\d+:\d+\)/)
    person.press('F5')
    await person.see(/process \d+, started [\d:.]+, ready after \d+ ms, start 1/)
    expect(person.screen).toContain('permissions asked for: net:http:example.com')
    expect(person.screen).toContain('denied: fs:read:/etc/passwd')
    expect(person.screen).toMatch(/2 commands from here: median [\d.]+ ms/)

    writeFileSync(main, readFileSync(main, 'utf8').replace('>Add<', '>Add a note<'))
    person.press('F1')
    await person.see('- [Add](operation:add): Add a note')
    expect(person.screen).toContain('1. [first](item:notes[0])')
    person.press('Up', 'Up')
    await person.see(/^> execute add --text first$/m)
    person.press('Ctrl+f')
    for (const character of 'FIRST') person.press(character)
    await person.see('lines hold "first"')
    person.press('Escape', 'Ctrl+c')
    expect(await ended).toBe(undefined)
  })

  it('looks at a desktop in another program by a socket for its owner alone, and acts when the input is free', async () => {
    const desktop = createDesktop({ apps: [makeProject()] })
    onTestFinished(() => destroyDesktop(desktop.id))
    const lease = desktop.input.acquire('agent')
    await lease.execute('<context>open --application app_1</context>')
    const path = join(makeTempDir(), 'inspector.sock')
    const server = await serveInspector(desktop, path)
    expect(statSync(path).mode & 0o777).toBe(0o600)

    const person = new Person(80)
    const ended = inspect({ terminal: person, source: await SocketSource.open(path), now: Date.now })
    await person.see('- [Add](operation:add)')
    person.type('execute add --text mine')
    await person.see('the input is held by "agent"')
    await lease.execute('<context app_id="app_1">execute add --text "of the agent"</context>')
    await person.see('1. [of the agent](item:notes[0])')
    person.press('F3')
    await person.see(/operation app_1 1\. execute add: done$/m)
    person.press('F1')
    lease.release()
    person.type('execute add --text mine')
    await person.see('2. [mine](item:notes[1])')
    person.press('F3')
    await person.see(/operation app_1 1\. execute add: done \(×2\)$/m)
    await server[Symbol.asyncDispose]()
    expect(await ended).toBe('the program that runs the desktop has closed the connection')
  })

  it('ends a viewer that sends anything but commands, and takes over a socket that was left behind', async () => {
    const desktop = createDesktop({ apps: [makeProject()] })
    onTestFinished(() => destroyDesktop(desktop.id))
    const path = join(makeTempDir(), 'inspector.sock')
    leaveSocket(path)
    await using _server = await serveInspector(desktop, path)
    await expect(serveInspector(desktop, path)).rejects.toThrow('EADDRINUSE')
    for (const bytes of ['hello\n', 'null\n', 'x'.repeat(1 << 21)]) {
      const viewer = connect(path)
      viewer.on('error', () => undefined).resume() // what it had still to write is refused
      const closed = new Promise((resolve) => viewer.once('close', resolve))
      viewer.write(bytes)
      await closed
    }
    const file = join(makeTempDir(), 'file')
    writeFileSync(file, 'kept')
    await expect(serveInspector(desktop, file)).rejects.toThrow('EADDRINUSE')
    expect(readFileSync(file, 'utf8')).toBe('kept')
  })

  it.each(['hello', 'null', '{"type":"other"}', '{"type":"picture"}'])(
    'leaves a socket that says %s',
    async (text) => {
      const path = join(makeTempDir(), 'other.sock')
      const server = createServer((socket) => socket.write(`${text}\n`)).listen(path)
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const ended = inspect({ terminal: new Person(), source: await SocketSource.open(path), now: Date.now })
      expect(await ended).toMatch(/^no desktop is served there: /)
    },
  )
})

/** As a program that was killed leaves it. */
function leaveSocket(path: string): void {
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(spawnSync(process.execPath, ['-e', code]).signal).toBe('SIGKILL')
}
