// Runs a program of packages/transom/dist in this process. Builds the checkout first if that has not been done.
//
// npm links a command to the package whose folder sorts first, and only if the file exists when it installs. That of
// packages/transom does not exist before a build; this folder sorts before it.
const { spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')

module.exports = (/** @type {string} */ program) => {
  const file = path.join(root, 'packages/transom/dist', program)
  if (!existsSync(file)) build()
  require(file)
}

function build() {
  process.stderr.write('building this checkout, once; "npm run build" does it again after a change\n')
  // Standard output is the command's own: what the build prints goes to standard error.
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--quiet'], {
    stdio: [0, 2, 2],
  })
  if (status !== 0) process.exit(70)
}
