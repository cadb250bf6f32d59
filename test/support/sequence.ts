import { statSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const IN_BROWSER = /[/\\]browser[/\\]/
/** Wait longer than they work, for mail or for processes that start. */
const WAITS = /[/\\](?:mail|email-change|email-links|team-mail|digest|replies|health|kill|replica|workers)\./
/** Short files that start programs, or much work: begun last, one of them would go on alone while the other process waits. */
const LONG = /[/\\](?:faults|e2e|cli|docs|scale)[/\\]|[/\\](?:rescan|hostile|permission)\./

type Kind = 'browser' | 'waits' | 'long' | 'plain'

function kindOf({ moduleId }: TestSpecification): Kind {
  if (IN_BROWSER.test(moduleId)) return 'browser'
  return WAITS.test(moduleId) ? 'waits' : LONG.test(moduleId) ? 'long' : 'plain'
}

/** About how many seconds a kilobyte of a test takes. */
const SECONDS: Record<Kind, number> = { browser: 1.1, waits: 1.2, long: 0.6, plain: 0.2 }

const secondsOf = (file: TestSpecification): number =>
  (statSync(file.moduleId).size / 1000) * SECONDS[kindOf(file)]

/** Each of the two lists in its order, and at every point as much time of one as of the other. */
function mixed(
  some: readonly TestSpecification[],
  others: readonly TestSpecification[],
): TestSpecification[] {
  const lists = [some, others].map((files) => ({ rest: [...files], seconds: 0 }))
  return Array.from({ length: some.length + others.length }, () => {
    const [shorter] = lists.filter(({ rest }) => rest.length > 0).sort((a, b) => a.seconds - b.seconds)
    const file = shorter?.rest.shift() as TestSpecification
    if (shorter) shorter.seconds += secondsOf(file)
    return file
  })
}

/**
 * Vitest runs large files first; where it does not yet know how long they take, it goes by their size. Here one process
 * is in the browser while the other does something else: two that wait for a browser, or for mail, leave the processor idle.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...Map.groupBy(sorted, ({ project }) => project.name).values()]
    return projects.flatMap((specifications) => {
      const of = (kind: Kind) => specifications.filter((file) => kindOf(file) === kind)
      return mixed(of('browser'), [...of('waits'), ...of('long'), ...of('plain')])
    })
  }
}
