import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

type Skipped = { test: TestCase; reason: string | undefined }

function skippedIn(module: TestModule): Skipped[] {
  return [...module.children.allTests('skipped')].map((test) => {
    const result = test.result()
    return { test, reason: result.state === 'skipped' ? result.note : undefined }
  })
}

/** One line for each reason: how many tests, in which files. */
function lineOf(reason: string, tests: readonly TestCase[], root: string): string {
  const files = [...new Set(tests.map((test) => relative(root, test.module.moduleId)))]
  const what =
    tests.length === 1 ? tests[0]?.fullName.replace(' > cannot run here', '') : `${tests.length} tests`
  const where = files.length > 3 ? `${files.length} files such as ${files[0]}` : files.join(', ')
  return `${what} (${where}): ${reason}`
}

/** Names at the end what was skipped and why. A skip without a reason fails the tests. */
export default class SkipReport implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const vitest = this.#vitest
    // Who asks for some tests by name knows that the others are left out.
    if (!vitest || vitest.config.testNamePattern) return
    const skipped = modules.flatMap(skippedIn)
    const byReason = Map.groupBy(skipped, ({ reason }) => reason ?? 'no reason is given, so the tests fail')
    if (skipped.some(({ reason }) => reason === undefined)) process.exitCode = 1
    for (const [reason, tests] of byReason)
      vitest.logger.log(
        ` skipped: ${lineOf(
          reason,
          tests.map(({ test }) => test),
          vitest.config.root,
        )}`,
      )
  }
}
