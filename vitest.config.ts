import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/support/sequence.ts'

/** Two processes, each of which runs one file after another: see "How the tests are arranged" in CONTRIBUTING.md. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Packages that the suites of others install bring tests of their own.
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/support/global-setup.ts', 'test/browser/build.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/each-file.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What comes in the background comes later on a busy machine: the standard is one second.
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
    // Concurrent tests are those that wait.
    maxConcurrency: 10,
    isolate: false,
  },
})
