import type { TestProject } from 'vitest/node'
import { installBrowser } from '../../packages/transom/src/surfaces/awi/command/install-browser.ts'
import { cacheFolder, findChromium } from '../../packages/transom/src/kinds/web/chromium-location.ts'
import { buildAll } from '../../scripts/build.mjs'

/** Tests run the programs that users run: they are built once, before any of them. */
export default async function setup(project: TestProject): Promise<void> {
  await buildAll()
  project.provide('noBrowser', await provideBrowser())
}

/**
 * Where there is no browser, the product's own command fetches one into the user's cache, as it would for a user.
 * Returns why there is none; null if there is one.
 */
async function provideBrowser(): Promise<string | null> {
  if (whyNotFound() === null) return null
  const { AWI_CHROMIUM: named } = process.env
  if (named !== undefined && named !== '') return whyNotFound() // another one would not be used
  console.warn(`no Chromium was found: the tests fetch one, once, into ${cacheFolder(process.env)}`)
  try {
    await installBrowser({ env: process.env, signal: new AbortController().signal, progress: tell() })
    return null
  } catch (error) {
    return messageOf(error)
  }
}

function whyNotFound(): string | null {
  try {
    findChromium(process.env)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

/** Progress on one line of a terminal; elsewhere one line for each stage, without the percents. */
function tell(): (text: string) => void {
  let stage = ''
  return (text) => {
    const next = text.replace(/: \d+ %$/, '')
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}${text.endsWith(' 100 %') ? '\n' : ''}`)
    else if (next !== stage) process.stderr.write(`${next}\n`)
    stage = next
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
