import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { LongFirst } from './test/support/sequence.ts'

type Tests = NonNullable<ViteUserConfig['test']>

/** Tests of rules that a cluster cannot keep, each with its reason. All others run. */
const NOT_ON_A_CLUSTER = [
  // Each node is read at its own moment (docs/guide/scaling.md, "a backup shows one moment").
  'taken under load it holds one state',
]

const shared: Tests = {
  // Packages that the suites of others install bring tests of their own.
  exclude: ['**/node_modules/**'],
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/each-file.ts'],
  reporters: ['default', './test/support/skip-report.ts'],
  // What comes in the background comes later on a busy machine: the standard is one second.
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 600_000,
  hookTimeout: 120_000,
  pool: 'forks',
}

/** What `vitest run --mode <name>` runs; without a mode it is `test`. */
const SUITES: Record<string, Tests> = {
  /** Two processes, each of which runs one file after another: see "How the tests are arranged" in CONTRIBUTING.md. */
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/browser/build.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/each-file.ts'],
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    maxWorkers: 2,
    // Concurrent tests are those that wait.
    maxConcurrency: 10,
    isolate: false,
  },
  /** Suites and clients that we did not write; see test/external. */
  outside: { include: ['test/**/*.outside.ts'] },
  /** What takes too long, or weighs too much, for every change. */
  long: { include: ['test/**/*.long.ts'] },
  /** The long rounds of the promises in docs/guide/reliability.md. */
  faults: {
    include: ['test/**/*.faults.ts'],
    testTimeout: 2 * 3_600_000,
    // The hooks of load.faults.ts make 64 people with their cards and measure what the machine can do.
    hookTimeout: 600_000,
    fileParallelism: false,
  },
  /** Whatever runs on PostgreSQL, on a cluster: see docs/scale.md. */
  distributed: {
    include: ['src/**/*.db.test.ts', 'test/**/*.db.test.ts', 'test/distributed/*.cluster.ts'],
    testNamePattern: new RegExp(`^(?!.*(${NOT_ON_A_CLUSTER.join('|')})).*(postgres|cluster)`),
    globalSetup: ['test/distributed/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
}

export default defineConfig(({ mode }) => ({ test: { ...shared, ...SUITES[mode] } }))
