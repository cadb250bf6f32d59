import type { CapturedTurn } from '../memory/mining-due.ts'
import type { Session, Step } from './rules/session.ts'

const said = (by: 'person' | 'agent', text: string): Step[] =>
  text === '' ? [] : [{ kind: 'said', by, text }]

/** A turn has its commands in order, and the files that it changed without their times. */
const stepsOf = ({ message, report, activity }: CapturedTurn): Step[] => [
  ...said('person', message),
  ...(activity?.commands ?? []).map(
    ({ command, exit_code, output }): Step => ({
      kind: 'command',
      command,
      exitCode: exit_code ?? null,
      output,
    }),
  ),
  ...(activity?.files ?? []).map((file): Step => ({ kind: 'edit', file, isAnytime: true })),
  ...said('agent', report),
]

/** Reading a session blocks the process, and each turn makes it be read again. So only the last commands are read. */
const MOST_COMMANDS = 600
const MOST_CHARACTERS = 500_000

/** The last turns, at least one of them. */
function newestOf(turns: readonly CapturedTurn[]): readonly CapturedTurn[] {
  let [commands, characters] = [0, 0]
  const before = turns.findLastIndex(({ message, report, activity }) => {
    commands += activity?.commands.length ?? 0
    characters += message.length + report.length
    for (const { command, output } of activity?.commands ?? []) characters += command.length + output.length
    return commands > MOST_COMMANDS || characters > MOST_CHARACTERS
  })
  return turns.slice(Math.min(before + 1, turns.length - 1))
}

export function sessionFrom(turns: readonly CapturedTurn[]): Session {
  const read = newestOf(turns)
  return {
    steps: read.flatMap(stepsOf),
    environment: Object.assign({}, ...read.map(({ activity }) => activity?.environment ?? {})),
  }
}
