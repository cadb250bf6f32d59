import { defineConfig } from 'vitest/config'

/** Whatever runs on PostgreSQL, on a cluster: see docs/scale.md. */
export default defineConfig({
  test: {
    include: ['src/**/*.db.test.ts', 'test/**/*.db.test.ts', 'test/distributed/*.cluster.ts'],
    testNamePattern: /postgres|cluster/,
    globalSetup: ['test/distributed/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
