import type { CapturedTurn } from '../../src/features/memory/mining-queue.ts'
import type { Step } from '../../src/shared/session.ts'
import { commandText } from '../../src/text/command-output.ts'
import { tellingLines } from '../../src/text/failure.ts'
import { randomFrom } from '../lib/texts.ts'

/** Names that a scene takes at random, so that no two transcripts are alike. */
export type Cast = {
  pick: <T>(choices: readonly T[]) => T
  name: string
  file: string
  other: string
  port: number
  number: (most: number) => number
}

export type Scene = {
  name: string
  /** The failing command of the pair that is in it; none where there is no pair. */
  pair?: (cast: Cast) => string
  steps: (cast: Cast) => Step[]
}

export const run = (command: string, exitCode: number | null, output: string): Step => ({
  kind: 'command',
  command,
  exitCode,
  output,
})
export const edit = (file: string, before?: string, after?: string): Step => ({
  kind: 'edit',
  file,
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
})
export const says = (text: string): Step => ({ kind: 'said', by: 'agent', text })
export const asks = (text: string): Step => ({ kind: 'said', by: 'person', text })

const NAMES = 'billing ledger parcel harbour lantern orchard quarry saddle timber violet walnut zephyr'.split(
  ' ',
)
const WORDS = 'invoice route stamp signal basket anchor mirror feather copper meadow pillar canvas'.split(' ')

function castFor(seed: number): Cast {
  const random = randomFrom(seed * 7919 + 13)
  const number = random
  const pick = <T>(choices: readonly T[]): T => choices[number(choices.length)] as T
  const [name, word, other] = [pick(NAMES), pick(WORDS), pick(WORDS)]
  return { pick, name, file: `${name}-${word}`, other: `${other}-view`, port: 3000 + number(5000), number }
}

/** What an agent does besides: it looks around, edits elsewhere, asks git. None of it is a pair. */
const ASIDES: readonly ((cast: Cast) => Step[])[] = [
  () => [run('git status --short', 0, ' M src/index.ts')],
  ({ name }) => [run(`grep -rn "${name}" src`, 1, '')],
  ({ file }) => [run(`cat src/${file}.ts | head -40`, 0, 'export const a = 1')],
  () => [run('ls -la', 0, 'total 48\ndrwxr-xr-x src')],
  () => [says('Let me look at how this is wired.')],
  ({ other }) => [run(`sed -n 1,40p src/${other}.tsx`, 0, 'export function View() {}')],
  () => [run('git log --oneline -3', 0, 'a1b2c3d Tidy the build')],
  () => [run('node --version', 0, 'v24.1.0')],
]

/** A scene with asides before, between and after; they keep their order. */
export function played(scene: Scene, seed: number): { steps: Step[]; pair: string | undefined } {
  const cast = castFor(seed)
  const steps: Step[] = []
  const aside = (share: number) => {
    if (cast.number(100) < share) steps.push(...cast.pick(ASIDES)(cast))
  }
  aside(60)
  const script = scene.steps(cast)
  for (const step of script) {
    steps.push(step)
    if (step.kind !== 'said') aside(25)
  }
  aside(40)
  return { steps, pair: scene.pair?.(castFor(seed)) }
}

export const PASS = ' Test Files  1 passed (1)\n      Tests  12 passed (12)\n   Duration  812ms'

export const npmFail = (error: string) =>
  `> app@1.0.0 test\n> vitest run\n\n${error}\n\n Test Files  1 failed (1)\n      Tests  1 failed | 11 passed (12)\nnpm error Lifecycle script \`test\` failed`

const MAX_OUTPUT = 600

/** What hooks keep of an output: the telling lines of a failure, the end of a success. */
const keptOf = (exitCode: number | null, output: string): string =>
  (exitCode !== 0 && tellingLines(commandText({ exitCode: exitCode ?? 1, output })).join('\n')) ||
  output.slice(-MAX_OUTPUT)

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
