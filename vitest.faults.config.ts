import { defineConfig } from 'vitest/config'

/** The long rounds of the promises in docs/reliability.md. */
export default defineConfig({
  test: {
    include: ['test/**/*.faults.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    testTimeout: 2 * 3_600_000,
    hookTimeout: 120_000,
    pool: 'forks',
    fileParallelism: false,
  },
})
