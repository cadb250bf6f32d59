import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsFolder } from './folders.ts'
import { writePrivate } from './profile.ts'

/** The last run of a hook, for `kvault doctor`: hooks are silent, so nobody would notice one that fails. */
export type HookRun = { event: string; at: string; error?: string }

const file = () => join(settingsFolder(), 'last-hook.json')

export function noteHookRun(event: string, error?: string): void {
  try {
    const run: HookRun = { event, at: new Date().toISOString(), ...(error ? { error } : {}) }
    writePrivate(file(), `${JSON.stringify(run)}\n`)
  } catch {
    // A folder that cannot be written must not end a session.
  }
}

export function lastHookRun(): HookRun | undefined {
  try {
    return JSON.parse(readFileSync(file(), 'utf8'))
  } catch {
    return undefined
  }
}
