// All type checks: the pure core without Node's types, what runs in apps with a document, then everything else.
import { spawnSync } from 'node:child_process'

for (const project of ['tsconfig.pure.json', 'packages/aotui-sdk', 'tsconfig.json']) {
  const { status } = spawnSync('tsc', ['-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
