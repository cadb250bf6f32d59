import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS } from '../../../core/day.ts'
import { settingsFolder } from '../folders.ts'
import { writePrivate } from '../profile.ts'
import type { Moment } from './occasion.ts'

type Failure = { at: string; error: string }

/**
 * How one moment of one agent last ran, for `kvault doctor`: hooks are silent, so nobody would notice a failing one. `lost` is
 * an earlier failure to keep something, which the next exchange would hide.
 */
export type HookRun = { at: string; ms: number; chars: number; error?: string; lost?: Failure }

const LONGEST_ERROR = 300

const fileOf = (agent: string, moment: Moment) =>
  join(settingsFolder(), 'hook-runs', `${agent}.${moment}.json`)

/** Long enough for somebody to ask. */
const LOSS_IS_SAID_MS = DAY_MS

function lossBefore(agent: string, moment: Moment): Failure | undefined {
  const former = moment === 'capture' ? lastRun(agent, moment) : undefined
  const loss = former?.error ? { at: former.at, error: former.error } : former?.lost
  return loss && Date.parse(loss.at) > Date.now() - LOSS_IS_SAID_MS ? loss : undefined
}

export function noteRun(agent: string, moment: Moment, run: Omit<HookRun, 'at' | 'lost'>): void {
  try {
    const error = run.error?.slice(0, LONGEST_ERROR)
    const lost = error ? undefined : lossBefore(agent, moment)
    const noted = {
      at: new Date().toISOString(),
      ...run,
      ...(error ? { error } : {}),
      ...(lost ? { lost } : {}),
    }
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
