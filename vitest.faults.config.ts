import { defineConfig } from 'vitest/config'

/** The long rounds of the promises in docs/guide/reliability.md. */
export default defineConfig({
  test: {
    include: ['test/**/*.faults.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    testTimeout: 2 * 3_600_000,
    // The hooks of load.faults.ts make 64 people with their cards and measure what the machine can do.
    hookTimeout: 600_000,
    pool: 'forks',
    fileParallelism: false,
  },
})
