import * as fs from 'node:fs'
import * as path from 'node:path'
import { describe, expect, test } from 'vitest'
import { TestHome } from './support/test-home.ts'

describe('Transom works', () => {
  test('without HOME, TMPDIR, XDG_RUNTIME_DIR, LANG and TERM, and the program gets a locale', async () => {
    const home = new TestHome()
    try {
      for (const name of ['HOME', 'TMPDIR', 'XDG_RUNTIME_DIR', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TERM'])
        home.env[name] = undefined
      const id = await home.ok('create', '--', 'sh', '-c', 'echo "$LANG $TERM"; sleep 100')
      expect(await home.ok('wait', id, '--regex', '\\S+ \\S+')).toBe('C.UTF-8 xterm-256color')
    } finally {
      await home.close()
    }
  })

  test('in a Home and in folders with long and odd names', async () => {
    const home = new TestHome({ homeName: path.join('h'.repeat(150), `${'o'.repeat(140)} \u001b[31m'"$(x)`) })
    try {
      const cwd = path.join(home.root, 'new\nline', 'w'.repeat(200))
      fs.mkdirSync(cwd, { recursive: true })
      const id = await home.ok('create', '--cwd', cwd, '--', 'pwd')
      await home.ok('wait', id, '--exit')
      const inspected = await home.run(['inspect', id])
      expect(inspected.stdout).toContain('new\\x0aline')
      expect(inspected.stdout).not.toContain('\u001b')
      expect(await home.json('inspect', id)).toMatchObject({ cwd })
    } finally {
      await home.close()
    }
  })

  test('with arguments that look like anything', async () => {
    const home = new TestHome()
    try {
      const odd = ['--json', '-', '$(id)', '\u001b]52;c;x\u0007', 'new\nline', '', '漢字', '../..']
      const id = await home.ok('create', '--', 'printf', '<%s>', ...odd)
      await home.ok('wait', id, '--exit')
      expect(await home.json('inspect', id)).toMatchObject({ command: ['printf', '<%s>', ...odd] })
      expect((await home.run(['list', '--all'])).stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    } finally {
      await home.close()
    }
  })
})

test('time in a log only goes forward', async () => {
  const home = new TestHome()
  try {
    const id = await home.ok('create', '--', 'sh', '-c', 'seq 1 50; sleep 100')
    await home.ok('wait', id, '--text', '50')
    const client = await home.connect()
    const times: number[] = []
    await new Promise<void>((resolve) => {
      void client.subscribe({ session: id, to: 'events', after_seq: 0 }, (message) => {
        if (message.type !== 'records') return
        times.push(...message.records.map(({ time }) => time))
        resolve()
      })
    })
    client.close()
    expect(times.length).toBeGreaterThan(1)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  } finally {
    await home.close()
  }
})
