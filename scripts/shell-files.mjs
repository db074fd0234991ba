// Shell code is kept in files of its own. What imports one of them (`import text from './blocks.bash'`) gets its text,
// in the bundles as in the tests.
import * as fs from 'node:fs'

const SHELL_FILE = /\.(?:bash|zsh|fish|sh)$/

/**
 * The text without comments, blank lines and indentation: a shell parses it at each start, and a nested one gets it
 * typed. Comments have lines of their own, and no quoted text goes over a line's end, so that nothing else is lost.
 */
export function compactShell(/** @type {string} */ text) {
  const lines = text.split('\n').map((line) => line.trimStart())
  return lines.filter((line) => line !== '' && !line.startsWith('#')).join('\n') + '\n'
}

/** For esbuild. @type {import('esbuild').Plugin} */
export const shellFiles = {
  name: 'shell-files',
  setup: (build) =>
    build.onLoad({ filter: SHELL_FILE }, ({ path }) => ({
      contents: compactShell(fs.readFileSync(path, 'utf8')),
      loader: 'text',
    })),
}

/** For vitest. @type {import('vite').Plugin} */
export const shellFilesInTests = {
  name: 'shell-files',
  load: (id) =>
    SHELL_FILE.test(id)
      ? `export default ${JSON.stringify(compactShell(fs.readFileSync(id, 'utf8')))}`
      : null,
}
