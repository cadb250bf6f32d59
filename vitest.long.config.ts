import { defineConfig } from 'vitest/config'

/** What takes too long, or weighs too much, for every change. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/each-file.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
})
