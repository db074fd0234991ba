import { defineConfig } from 'vitest/config'
import { shellFilesInTests } from './scripts/shell-files.mjs'

export default defineConfig({
  plugins: [shellFilesInTests],
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
