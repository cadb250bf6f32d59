import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The browser is most of the work, so its files come first. */
const IN_BROWSER = /[/\\]browser[/\\]/
/** Wait longer than they work, for mail or for processes that start: beside the browser nobody waits for them. */
const WAITS = /[/\\](?:mail|email-change|email-links|team-mail|digest|replies|health|kill|replica|workers)\./
/** Short files that start programs, or much work: begun last, one of them would go on alone while the other process waits. */
const LONG = /[/\\](?:faults|e2e|cli|docs|scale)[/\\]|[/\\](?:rescan|hostile|permission)\./

/** Vitest runs large files first; where it does not yet know how long they take, it goes by their size. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...Map.groupBy(sorted, ({ project }) => project.name).values()]
    return projects.flatMap((specifications) => {
      const rank = ({ moduleId }: TestSpecification) =>
        IN_BROWSER.test(moduleId) || WAITS.test(moduleId) ? 0 : LONG.test(moduleId) ? 1 : 2
      return specifications.toSorted((one, other) => rank(one) - rank(other))
    })
  }
}
