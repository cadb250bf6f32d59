import { join } from 'node:path'
import { type Candidate, worthOf } from '../../../features/mining/rules/candidate.ts'
import { accountOf } from '../account.ts'
import { settingsFolder } from '../folders.ts'
import { type Profile, writePrivate } from '../profile.ts'
import { isJson, readJson } from './read-bounded.ts'

/** A candidate that the vault has not taken yet. */
export type Waiting = {
  candidate: Candidate
  project_key: string | null
  session_id: string
  client: string
}

export type MineState = {
  /** Files that were read, with their size and time: a continued session is read again. */
  read: Record<string, string>
  waiting: Waiting[]
}

/** The most useful first. */
export const byWorth = (one: Waiting, other: Waiting): number =>
  worthOf(other.candidate) - worthOf(one.candidate)

/** The vault takes three a day, so more than this would be stale before they are sent. */
const MOST_WAITING = 100

const stateFile = () => join(settingsFolder(), 'mine.json')

type States = Record<string, MineState>

const states = (): States => (readJson(stateFile()) ?? {}) as States

/** What one account has found is offered for no other, though both use the same vault. */
const nameOf = (profile: Profile): string => `${profile.url} ${accountOf(profile)}`

/**
 * One state for each account of each vault. A broken one starts empty: the vault recognises what it already has. So
 * does the first one of an account, because earlier versions did not say whose it was.
 */
export function readState(profile: Profile): MineState {
  const state: unknown = states()[nameOf(profile)]
  if (!isJson(state) || !isJson(state.read) || !Array.isArray(state.waiting)) return { read: {}, waiting: [] }
  return state as MineState
}

export function writeState(profile: Profile, { read, waiting }: MineState): void {
  const kept = { read, waiting: waiting.toSorted(byWorth).slice(0, MOST_WAITING) }
  const { [profile.url]: _ofNobody, ...others } = states()
  writePrivate(stateFile(), JSON.stringify({ ...others, [nameOf(profile)]: kept }))
}
