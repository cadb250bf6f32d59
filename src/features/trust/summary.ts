import { DAY_MS } from '../../core/day.ts'
import type { StoredTrust } from './stored-trust.ts'

/** Short, because agents read it with every hit. */
const LONGEST_SUMMARY = 120

const times = (count: number): string => `${count}×`
const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/**
 * `6× on node 24 and 22`: the versions of the most frequent name, the most frequent first; `6×, 4× on node 24 and 22`
 * where the others were somewhere else, or nobody said where.
 */
function counted(trust: StoredTrust, outcome: 'worked' | 'failed'): string {
  const told = trust.environments.filter((group) => group[outcome] > 0)
  const name = told[0]?.name
  const shown = told.filter((group) => group.name === name).slice(0, 2)
  if (shown.length === 0) return times(trust[outcome])
  const there = shown.reduce((sum, group) => sum + group[outcome], 0)
  const where = `${times(there)} on ${name} ${list(shown.map(({ version }) => version))}`
  return there === trust[outcome] ? where : `${times(trust[outcome])}, ${where}`
}

function daysAgo(at: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(at)) / DAY_MS)
  if (days < 1) return 'today'
  return days === 1 ? 'yesterday' : `${days} days ago`
}

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)

/** “Worked 6× on node 24 and 22, failed 2× on node 18, last confirmed 12 days ago by 3 people”. */
export function trustSummary(trust: StoredTrust, now: Date): string {
  const { worked, failed, stale, before_change } = trust
  const said = [
    worked > 0 ? `worked ${counted(trust, 'worked')}` : '',
    failed > 0 ? `failed ${counted(trust, 'failed')}` : '',
    stale > 0 ? `called outdated ${times(stale)}` : '',
  ].filter((part) => part !== '')
  if (before_change > 0 && before_change === worked + failed + stale)
    said.splice(0, said.length, `verified ${times(before_change)} before the last change`)
  else if (trust.last_confirmed_at !== null)
    said.push(
      `last confirmed ${daysAgo(trust.last_confirmed_at, now)} by ${people(trust.people_who_confirmed)}`,
    )
  const text = said.join(', ')
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return sentence.length <= LONGEST_SUMMARY ? sentence : `${sentence.slice(0, LONGEST_SUMMARY - 1)}…`
}
