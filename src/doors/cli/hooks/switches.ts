import { join } from 'node:path'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'
import { settingsIn } from '../settings-file.ts'
import { HOOK_AGENTS } from './agents/all.ts'
import { MOMENTS, type Moment } from './occasion.ts'

/** `all`, an agent (`codex`), a moment (`prompt`), or a moment of one agent (`codex:prompt`). */
export type Switch = string

const file = () => join(settingsFolder(), 'hooks.json')

export const isSwitch = (name: string): boolean => {
  const agents = HOOK_AGENTS.map((agent) => agent.name)
  const [first = '', second] = name.split(':')
  const moments: readonly string[] = MOMENTS
  if (second !== undefined) return agents.includes(first) && moments.includes(second)
  return name === 'all' || agents.includes(name) || moments.includes(name)
}

/** What this person has switched off in all projects. In a file that cannot be read that is unknown, so everything is off. */
export function personsSwitches(): { off: Switch[]; unreadable?: string } {
  const settings = settingsIn(file())
  const off = settings === null ? null : (settings?.off ?? [])
  if (!Array.isArray(off)) return { off: ['all'], unreadable: file() }
  return { off: off.filter((item) => typeof item === 'string') }
}

export const saveSwitches = (off: readonly Switch[]): void =>
  writePrivate(file(), `${JSON.stringify({ off: [...new Set(off)].sort() }, null, 2)}\n`)

/** `KVAULT_HOOKS=off` for everything, or the names of what is off: `KVAULT_HOOKS=-prompt,-codex`. */
function switchesOfShell(): Switch[] {
  const given = (process.env.KVAULT_HOOKS ?? '').trim()
  if (/^(?:off|0|false)$/i.test(given)) return ['all']
  return given
    .split(/[\s,]+/)
    .filter((part) => part.startsWith('-'))
    .map((part) => part.slice(1))
}

export function isOff(off: readonly Switch[], agent: string, moment: Moment): boolean {
  return ['all', agent, moment, `${agent}:${moment}`].some((name) => off.includes(name))
}

/** All switches together: the shell, the person's settings and the project can each switch off. */
export const everySwitch = (ofProject: readonly Switch[]): Switch[] => [
  ...switchesOfShell(),
  ...personsSwitches().off,
  ...ofProject,
]
