import type { CapturedTurn } from '../../src/features/memory/mining-due.ts'
import type { Step } from '../../src/features/mining/rules/session.ts'
import { commandText } from '../../src/text/command-text.ts'
import { tellingLines } from '../../src/text/failure.ts'

const MOST_OUTPUT = 600

/** What hooks keep of an output: the telling lines of a failure, the end of a success. */
const keptOf = (exitCode: number | null, output: string): string =>
  (exitCode !== 0 && tellingLines(commandText({ exitCode: exitCode ?? 1, output })).join('\n')) ||
  output.slice(-MOST_OUTPUT)

/** The same session as hooks capture it: a turn ends where the person speaks again, and files have no moment. */
export function asTurns(steps: readonly Step[]): CapturedTurn[] {
  const turns: CapturedTurn[] = []
  let [message, report, hasBegun] = ['', '', false]
  let commands: { command: string; exit_code: number | null; output: string }[] = []
  let files = new Set<string>()
  const close = () => {
    if (!hasBegun) return
    const activity = { commands, files: [...files], environment: {} }
    turns.push({ message, report, activity, client: null, createdAt: '' })
    ;[message, report, hasBegun, commands, files] = ['', '', false, [], new Set()]
  }
  for (const step of steps) {
    if (step.kind === 'said' && step.by === 'person') {
      close()
      message = step.text
    } else if (step.kind === 'said') report = step.text
    else if (step.kind === 'edit') files.add(step.file)
    else {
      const { command, exitCode, output } = step
      commands.push({ command, exit_code: exitCode, output: keptOf(exitCode, output) })
    }
    hasBegun = true
  }
  close()
  return turns
}
