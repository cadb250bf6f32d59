import { HOOK_PLANS } from './connect/hook-files/plans.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { HOOK_AGENTS } from './hooks/agents/all.ts'
import { MOMENTS, type Moment } from './hooks/occasion.ts'
import { everySwitch, isOff, isSwitch, personsSwitches, saveSwitches } from './hooks/switches.ts'
import { PROJECT_FILE, readProjectFiles } from './project-file.ts'
import { unreadableText } from './settings-file.ts'
import { print, printJson, table, warn } from './terminal.ts'

function checked(names: readonly string[]): void {
  const wrong = names.find((name) => !isSwitch(name))
  if (names.length > 0 && wrong === undefined) return
  const agents = HOOK_AGENTS.map(({ name }) => name).join(', ')
  throw new CommandError(
    `${wrong === undefined ? 'Name what' : `"${wrong}" is unknown`}: all, an agent (${agents}), a moment (${MOMENTS.join(', ')}), or both as codex:prompt.`,
    EXIT.usage,
  )
}

/** "no" where the agent has no event for the moment, so that nobody waits for what cannot come. */
function stateOf(agent: string, moment: Moment, off: readonly string[]): 'on' | 'off' | 'no' {
  if (!HOOK_PLANS[agent]?.moments.includes(moment)) return 'no'
  return isOff(off, agent, moment) ? 'off' : 'on'
}

function show(json: boolean | undefined): number {
  const { off: ofProject, unreadable } = readProjectFiles(process.cwd())
  const off = everySwitch(ofProject)
  const yours = personsSwitches()
  for (const file of unreadable) warn(`${unreadableText(file)}, so all hooks are off here. Repair it.`)
  if (yours.unreadable !== undefined)
    warn(`${unreadableText(yours.unreadable)}, so all hooks are off. Repair or delete it.`)
  const rows = HOOK_AGENTS.map(({ name }) => ({
    agent: name,
    ...Object.fromEntries(MOMENTS.map((moment) => [moment, stateOf(name, moment, off)])),
  }))
  if (json) printJson({ agents: rows, yours: yours.off })
  else
    print(
      table(
        ['agent', ...MOMENTS],
        rows.map((row) => Object.values(row)),
      ),
    )
  return EXIT.done
}

/** `kvault hooks` shows what is on in this folder; `on` and `off` change the setting for all projects of the person. */
export function hooksCommand(
  action: string | undefined,
  names: string[],
  options: { json?: boolean },
): number {
  if (action === undefined) return show(options.json)
  if (action !== 'on' && action !== 'off')
    throw new CommandError(`"${action}" is neither on nor off.`, EXIT.usage)
  checked(names)
  const { off: before, unreadable } = personsSwitches()
  if (unreadable !== undefined)
    throw new CommandError(
      `${unreadableText(unreadable)}. Repair or delete it first; until then all hooks are off.`,
    )
  const after = action === 'off' ? [...before, ...names] : before.filter((name) => !names.includes(name))
  saveSwitches(names.includes('all') && action === 'on' ? [] : after)
  const still = names.filter((name) => action === 'on' && readProjectFiles(process.cwd()).off.includes(name))
  if (still.length > 0) print(`${still.join(', ')}: still off here, by ${PROJECT_FILE}.`)
  return show(options.json)
}
