import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Short files that start programs, or much work: begun last, one of them would go on alone while the other process waits. */
const LONG = /[/\\](?:faults|e2e|cli|docs|scale)[/\\]|[/\\](?:rescan|hostile|permission)\./

/** Vitest runs large files first; where it does not yet know how long they take, it goes by their size. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...Map.groupBy(sorted, ({ project }) => project.name).values()]
    return projects.flatMap((specifications) => {
      const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
      return [...specifications.filter(isLong), ...specifications.filter((one) => !isLong(one))]
    })
  }
}
