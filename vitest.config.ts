import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { shellFilesInTests } from './scripts/shell-files.mjs'

export default defineConfig({
  plugins: [shellFilesInTests],
  // The sources under test, not what was built of them before.
  resolve: {
    alias: {
      '@aotui/runtime': fileURLToPath(new URL('packages/aotui-runtime/src/index.ts', import.meta.url)),
    },
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/support/skip-reporter.ts'],
    globalSetup: ['test/support/build-once.ts'],
    // A flaky test is a bug: nothing is tried twice.
    retry: 0,
    // Real programs on a loaded two-core machine; a wait inside a test carries its own, shorter limit.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for programs: more workers than cores keep the cores busy.
    maxWorkers: 3,
  },
})
