import { defineConfig } from 'vitest/config'

/** Suites and clients that we did not write; see test/external. */
export default defineConfig({
  test: {
    include: ['test/**/*.outside.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
})
