import { CommandError, EXIT } from '../exit-codes.ts'
import {
  everySwitch,
  HOOK_AGENTS,
  isOff,
  isSwitch,
  MOMENTS,
  type Moment,
  personsSwitches,
  saveSwitches,
} from '../hooks/agents.ts'
import { KVAULT, unreadableText } from '../local-files.ts'
import { PROJECT_FILE, readProjectFiles } from '../project-name.ts'
import { paint, print, printJson, table, warn } from '../terminal.ts'
import { HOOK_PLANS } from './hook-plans.ts'
import { hooksAreThere } from './hooks.ts'

function checked(names: readonly string[]): void {
  const wrong = names.find((name) => !isSwitch(name))
  if (names.length > 0 && wrong === undefined) return
  const agents = HOOK_AGENTS.map(({ name }) => name).join(', ')
  throw new CommandError(
    `${wrong === undefined ? 'Name what' : `"${wrong}" is unknown`}: all, an agent (${agents}), a moment (${MOMENTS.join(', ')}), or both as codex:prompt.`,
    EXIT.usage,
  )
}

/** Returns the state of a moment; "no" if the agent has no event for it. */
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
  const agents = HOOK_AGENTS.map(({ name }) => {
    const states = MOMENTS.map((moment) => [moment, stateOf(name, moment, off)] as const)
    return { agent: name, connected: isConnected(name), states }
  })
  if (json)
    printJson({
      agents: agents.map(({ states, ...one }) => ({ ...one, ...Object.fromEntries(states) })),
      yours: yours.off,
    })
  else printAgents(agents)
  return EXIT.done
}

function isConnected(agent: string): boolean {
  try {
    return hooksAreThere(agent) === true
  } catch {
    return false
  }
}

type AgentHooks = { agent: string; connected: boolean; states: (readonly [Moment, string])[] }

/** Prints the agents that have the hooks, and those for which something is switched off. */
function printAgents(agents: readonly AgentHooks[]): void {
  const isShown = ({ connected, states }: AgentHooks) =>
    connected || states.some(([, state]) => state === 'off')
  const rows = agents
    .filter(isShown)
    .map(({ agent, connected, states }) => [
      agent,
      ...states.map(([, state]) => (state === 'on' && !connected ? '' : state)),
      connected ? '' : 'not connected',
    ])
  if (rows.length > 0) print(table(['agent', ...MOMENTS, ''], rows))
  const others = agents.filter((one) => !isShown(one)).map(({ agent }) => agent)
  if (others.length > 0)
    print(paint('dim', `Without hooks: ${others.join(', ')}. To connect an agent: ${KVAULT} connect <agent>`))
}

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
