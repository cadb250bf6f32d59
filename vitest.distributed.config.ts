import { defineConfig } from 'vitest/config'

/** Tests of rules that a cluster cannot keep, each with its reason. All others run. */
const NOT_ON_A_CLUSTER = [
  // Each node is read at its own moment (docs/guide/scaling.md, "a backup shows one moment").
  'taken under load it holds one state',
]

/** Whatever runs on PostgreSQL, on a cluster: see docs/scale.md. */
export default defineConfig({
  test: {
    include: ['src/**/*.db.test.ts', 'test/**/*.db.test.ts', 'test/distributed/*.cluster.ts'],
    testNamePattern: new RegExp(`^(?!.*(${NOT_ON_A_CLUSTER.join('|')})).*(postgres|cluster)`),
    globalSetup: ['test/distributed/setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    reporters: ['default', './test/support/skip-report.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What comes in the background comes later on a busy machine: the standard is one second.
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
})
