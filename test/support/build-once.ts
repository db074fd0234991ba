import { installBrowser } from '../../packages/transom/src/awi-tty/install-browser.ts'
import { findChromium } from '../../packages/transom/src/kinds/web/chromium-location.ts'
import { buildAll } from '../../scripts/build.mjs'

/** Tests run the programs that users run: they are built once, before any of them. */
export default async function setup(): Promise<void> {
  await buildAll()
  await provideBrowser()
}

/**
 * Where there is no browser, the product's own command fetches one, as it would for a user. Without either, the tests
 * that need one say so.
 */
async function provideBrowser(): Promise<void> {
  if (hasBrowser()) return
  try {
    await installBrowser({ env: process.env, signal: new AbortController().signal, progress: () => {} })
  } catch (error) {
    console.warn(`no browser for the tests: ${String(error)}`)
  }
}

function hasBrowser(): boolean {
  try {
    findChromium(process.env)
    return true
  } catch {
    return false
  }
}
