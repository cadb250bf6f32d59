import type { CapturedTurn } from '../memory/mining-due.ts'
import type { Session, Step } from './rules/session.ts'

const said = (by: 'person' | 'agent', text: string): Step[] =>
  text === '' ? [] : [{ kind: 'said', by, text }]

/** A turn names its commands in order, and the files that it changed without saying when. */
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

export const sessionFrom = (turns: readonly CapturedTurn[]): Session => ({
  steps: turns.flatMap(stepsOf),
  environment: Object.assign({}, ...turns.map(({ activity }) => activity?.environment ?? {})),
})
