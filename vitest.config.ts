import { defineConfig } from 'vitest/config'
import { LongFirst } from './test/support/sequence.ts'

/** Each of these changes something that its whole process has, so it gets a process of its own. */
const ALONE = [
  'test/security/attacks.db.test.ts', // replaces a module
]

const settings = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
  maxWorkers: 2,
  setupFiles: ['test/support/seed.ts', 'test/support/each-file.ts'],
}

/** Two processes, each of which runs one file after another: see "How the tests are arranged" in CONTRIBUTING.md. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...settings, name: 'alone', include: ALONE } },
      {
        test: {
          ...settings,
          name: 'shared',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
          // Packages that the suites of others install bring tests of their own.
          exclude: ['**/node_modules/**', ...ALONE],
          globalSetup: ['test/browser/build.ts'],
          isolate: false,
        },
      },
    ],
  },
})
