import { terminalText } from '../../../../text/noise.ts'
import type { Environment } from '../../lock-files/environment.ts'
import { nameInProject } from '../../name-in-project.ts'
import { hasFailed } from '../failures.ts'
import type { Entry } from '../journal.ts'
import type { CommandRun } from '../occasion.ts'
import { telling } from './telling.ts'

/** What happened in an exchange, as the vault stores it in `meta.activity` of the turn. */
export type Activity = {
  commands: { command: string; exit_code: number | null; output: string }[]
  files: string[]
  tests: { command: string; before: 'failed'; after: 'passed' }[]
  environment: Environment
}

const MOST_COMMANDS = 40
const LONGEST_COMMAND = 500
const LONGEST_OUTPUT = 1500
const MOST_FILES = 100
const MOST_TESTS = 20
/** The vault takes 64 KiB of metadata in a turn. */
const MOST_BYTES = 56 * 1024

const TEST_COMMAND =
  /\b(?:test|tests|check|spec|pytest|vitest|jest|mocha|tox|rspec|phpunit|ctest|unittest)\b/i

/** Replaces the secrets in a text. It comes before every cut: half a secret is not recognised. */
export type Clean = (text: string) => string

const cutCommand = (command: string, clean: Clean): string =>
  clean(command).slice(0, LONGEST_COMMAND).toWellFormed()

const shown = (run: CommandRun, clean: Clean): Activity['commands'][number] => ({
  command: cutCommand(run.command, clean),
  exit_code: run.exitCode,
  // Codes of colours go first: a secret that touches them is not recognised.
  output: telling(clean(terminalText(run.output)), hasFailed(run), LONGEST_OUTPUT),
})

/** Commands that failed and then succeeded, even if they failed in an earlier exchange. */
function redToGreen(
  runs: readonly CommandRun[],
  failingBefore: readonly string[],
  clean: Clean,
): { tests: Activity['tests']; failing: string[] } {
  const failing = new Set(failingBefore)
  const tests = new Map<string, Activity['tests'][number]>()
  for (const run of runs) {
    if (!TEST_COMMAND.test(run.command)) continue
    const command = cutCommand(run.command, clean)
    if (hasFailed(run)) {
      failing.add(command)
      tests.delete(command)
    } else if (run.exitCode === 0 && failing.delete(command))
      tests.set(command, { command, before: 'failed', after: 'passed' })
  }
  return { tests: [...tests.values()].slice(-MOST_TESTS), failing: [...failing].slice(-MOST_TESTS) }
}

/** The limit is in bytes. The least useful outputs are dropped first: those of commands that succeeded, oldest first. */
function withinBounds(activity: Activity): Activity {
  const isTooLarge = () => Buffer.byteLength(JSON.stringify(activity)) > MOST_BYTES
  const byWorth = [...activity.commands].sort(
    (one, other) => Number(one.exit_code !== 0) - Number(other.exit_code !== 0),
  )
  for (const command of byWorth) {
    if (!isTooLarge()) break
    command.output = ''
  }
  while (isTooLarge() && activity.commands.length > 0) activity.commands.shift()
  return activity
}

export function activityOf(
  journal: readonly Entry[],
  folder: string,
  environment: Environment,
  failingBefore: readonly string[],
  clean: Clean,
): { activity: Activity; failing: string[] } {
  const runs = journal.flatMap((entry) => ('run' in entry ? [entry.run] : []))
  const files = journal.flatMap((entry) => ('files' in entry ? entry.files : []))
  const { tests, failing } = redToGreen(runs, failingBefore, clean)
  const activity = withinBounds({
    commands: runs.slice(-MOST_COMMANDS).map((run) => shown(run, clean)),
    files: [...new Set(files.map((file) => nameInProject(file, folder)))].slice(-MOST_FILES),
    tests,
    environment,
  })
  return { activity, failing }
}
