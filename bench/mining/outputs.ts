export const PASS = ' Test Files  1 passed (1)\n      Tests  12 passed (12)\n   Duration  812ms'

export const npmFail = (error: string) =>
  `> app@1.0.0 test\n> vitest run\n\n${error}\n\n Test Files  1 failed (1)\n      Tests  1 failed | 11 passed (12)\nnpm error Lifecycle script \`test\` failed`
