import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'
import type { Moment } from './occasion.ts'

/** How one moment of one agent last ran, for `kvault doctor`: hooks are silent, so nobody would notice a failing one. */
export type HookRun = { at: string; ms: number; chars: number; error?: string }

const LONGEST_ERROR = 300

const fileOf = (agent: string, moment: Moment) =>
  join(settingsFolder(), 'hook-runs', `${agent}.${moment}.json`)

export function noteRun(agent: string, moment: Moment, run: Omit<HookRun, 'at'>): void {
  try {
    const error = run.error?.slice(0, LONGEST_ERROR)
    const noted = { at: new Date().toISOString(), ...run, ...(error ? { error } : {}) }
    writePrivate(fileOf(agent, moment), JSON.stringify(noted))
  } catch {
    // A folder that cannot be written must not end a session.
  }
}

export function lastRun(agent: string, moment: Moment): HookRun | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(agent, moment), 'utf8'))
  } catch {
    return undefined
  }
}
