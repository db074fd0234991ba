import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from './app-folder.ts'
import { openDesktop, type DesktopDriver } from './desktop-driver.ts'

/** An app that writes the bytes of a file to its channel when it is told to, or runs the code that it is made with. */
const HOSTILE = (attack: string) => `
  import fs from 'node:fs'
  const send = (...messages) => {
    const body = Buffer.from(JSON.stringify(messages))
    const header = Buffer.alloc(4)
    header.writeUInt32BE(body.length)
    write(Buffer.concat([header, body]))
  }
  const write = (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      try { at += fs.writeSync(3, bytes, at) } catch (error) { if (error.code !== 'EAGAIN') throw error }
    }
  }
  document.body.innerHTML = '<main view="V"><p>fine</p><button operation="attack">x</button></main>'
  document.querySelector('main').addEventListener('aotui:operation', ({ detail }) => { ${attack} })
  aotui.expose('attack', () => { ${attack} })
  let data = { n: 1 }
  export const serialize = () => data
  export const restore = () => {}
`

/** A neighbour that has to notice nothing. */
const NEIGHBOUR = `
  document.body.innerHTML = '<main view="Good"><p>count 0</p><button operation="add">Add</button></main>'
  let count = 0
  document.querySelector('main').addEventListener('aotui:operation', () => {
    document.querySelector('p').textContent = 'count ' + ++count
  })
`

export type Tier = 'standard' | 'strict'

/** A desktop with a hostile app (app_1) beside a good one (app_2). */
export async function openHostile(
  tier: Tier,
  attack: string,
): Promise<{ driver: DesktopDriver; dir: string }> {
  const dir = makeApp({ main: HOSTILE(attack), manifest: { id: 'com.example.bad', name: 'Bad', tier } })
  const good = makeApp({ main: NEIGHBOUR, manifest: { id: 'com.example.good', name: 'Good' } })
  const driver = await openDesktop({ apps: [dir, good] })
  await driver.system('open --application app_1')
  await driver.system('open --application app_2')
  driver.look()
  return { driver, dir }
}

/** The bytes that `openHostile(tier, ATTACK_FROM_FILE)` writes. */
export function setAttack(dir: string, bytes: Uint8Array): void {
  writeFileSync(join(dir, 'attack.bin'), bytes)
}

export const ATTACK_FROM_FILE = `write(fs.readFileSync(new URL('attack.bin', import.meta.url)))`

/** Whether the neighbour still counts. */
export async function checkNeighbour(driver: DesktopDriver, before: number): Promise<void> {
  await driver.execute('add', { app: 'app_2' })
  const shown = driver.view('Good')
  if (!shown.includes(`count ${before + 1}\n`)) throw new Error(`the neighbour shows\n${shown}`)
}
