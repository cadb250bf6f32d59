import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Much work with few sources: while one process does it, the other has all sources transformed, for both of them. */
const LIGHT = /[/\\](?:redaction|mining)[/\\](?!.*\.db\.)|[/\\]patterns\./
/** Wait longer than they work, for mail or for processes that start. */
const WAITS = /[/\\](?:mail|email-change|email-links|team-mail|digest|replies|health|kill|replica|workers)\./
/** Short files that start programs, or much work: begun last, one of them would go on alone while the other process waits. */
const LONG =
  /[/\\](?:faults|e2e|cli|docs|scale|project)[/\\]|[/\\](?:rescan|permission|slow-bodies|broken-forms|turns)\./

/** The file that has all others of its folder in it. */
const ALL_IN_ONE = 'all-in-one.test.ts'

const countTests = (folder: string): number =>
  readdirSync(folder).filter((name) => name.endsWith('.test.ts')).length

/**
 * Where all files of a folder are asked for, only the one that has all of them is run: vitest hands the next file to
 * whichever process is free, so both would come to have a browser.
 */
function withoutTwice(files: readonly TestSpecification[]): TestSpecification[] {
  const byFolder = Map.groupBy(files, ({ moduleId }) => dirname(moduleId))
  return [...byFolder].flatMap(([folder, some]) => {
    const [one, others] = [some.filter(isAllInOne), some.filter((file) => !isAllInOne(file))]
    return others.length === 0 || (one.length > 0 && some.length === countTests(folder)) ? one : others
  })
}

const isAllInOne = ({ moduleId }: TestSpecification) => basename(moduleId) === ALL_IN_ONE

/** The first that fits is where a file stands. */
const ORDER = [
  isAllInOne,
  ({ moduleId }: TestSpecification) => LIGHT.test(moduleId),
  ({ moduleId }: TestSpecification) => WAITS.test(moduleId),
  ({ moduleId }: TestSpecification) => LONG.test(moduleId),
  () => true,
]

/**
 * Vitest runs large files first; where it does not yet know how long they take, it goes by their size. Here one process
 * is in the browser while the other does something else: two that wait for a browser, or for mail, leave the processor idle,
 * and a second browser with windows of its own takes a tenth more of what the browser takes.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = withoutTwice(await super.sort(files))
    const rankOf = (file: TestSpecification) => ORDER.findIndex((fits) => fits(file))
    return sorted.sort((a, b) => rankOf(a) - rankOf(b))
  }
}
