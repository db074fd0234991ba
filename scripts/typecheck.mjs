// Both type checks: the pure core without Node's types, then everything.
import { spawnSync } from 'node:child_process'

for (const project of ['tsconfig.pure.json', 'tsconfig.json']) {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
