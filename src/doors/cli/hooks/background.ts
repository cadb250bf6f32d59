import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DAY_MS } from '../../../shared/time.ts'
import { isGood, jsonIn, request, textOf } from '../http-request.ts'
import { ownCommand, settingsFolder, settingsIn } from '../local-files.ts'
import { findProfile, type Profile, writePrivate } from '../profile.ts'
import { readProjectFiles } from '../project-name.ts'
import { everySwitch } from './agents.ts'
import { askedFile, namesFile } from './names-index.ts'
import { findProject } from './project-permission.ts'

// What the hook of a session's start leaves to a program that nobody waits for.

const TIMEOUT_MS = 10_000
const MAX_BYTES = 2 * 1024 * 1024
const KEPT_MS = 30 * DAY_MS

/** Deletes lists of folders and sessions that were not used for a month. */
function forgetOldNames(): void {
  const folder = dirname(askedFile(''))
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name)
    const { mtimeMs = Date.now() } = statSync(file, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(file, { force: true })
  }
}

/** Fetches the list of files and commands of a folder's project that something is known about. */
export async function refreshNames(folder: string): Promise<void> {
  const { apiKey, ...profile } = findProfile()
  const off = everySwitch(readProjectFiles(folder).off)
  if (!apiKey || off.includes('all') || off.includes('before')) return
  try {
    forgetOldNames()
    const { key } = await findProject(folder, { ...profile, apiKey } as Profile)
    const query = new URLSearchParams({ project_key: key })
    const answer = await request(`${profile.url}/api/v1/project-context/names?${query}`, {
      headers: { 'x-api-key': apiKey },
      timeoutMs: TIMEOUT_MS,
    })
    const names = jsonIn(await textOf(answer, MAX_BYTES))
    if (!isGood(answer) || typeof names !== 'object' || names === null) return
    const { ids, files, commands } = names as Record<string, unknown>
    writePrivate(namesFile(folder), JSON.stringify({ folder, at: Date.now(), ids, files, commands }))
  } catch {
    // The earlier list stays until it is too old.
  }
}

const learnFile = () => join(settingsFolder(), 'learn.json')

/** Whether the person lets sessions learn the history of the repositories they start in. */
export const mayLearn = (): boolean => settingsIn(learnFile())?.background === true

export const allowLearning = (background: boolean): void =>
  writePrivate(learnFile(), `${JSON.stringify({ background }, null, 2)}\n`)

type LearnOptions = { learn?: boolean; hooks?: boolean; yes?: boolean }

/** What `connect` does about learning: as asked for, else as before, else yes for a person who is shown it and asked. */
export function wantsLearning({ learn, hooks, yes }: LearnOptions, isAtTerminal: boolean): boolean {
  if (learn !== undefined) return learn
  const before = settingsIn(learnFile())?.background
  if (typeof before === 'boolean') return before
  return isAtTerminal && !yes && hooks !== false
}

/** Starts `kvault learn` in the folder, if the person has agreed to it. */
export function learnInBackground(folder: string): void {
  if (!mayLearn() || everySwitch(readProjectFiles(folder).off).includes('all')) return
  const { command, args } = ownCommand('learn', '--no-wait')
  // The plugin has no commands.
  if (!existsSync(args[0] ?? '')) return
  const child = spawn(command, args, { cwd: folder, detached: true, stdio: 'ignore', windowsHide: true })
  child.once('error', () => {})
  child.unref()
}
