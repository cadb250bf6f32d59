import type { StoredTrust } from './stored-trust.ts'

/** Short, because agents read it with every hit. */
const LONGEST_SUMMARY = 120

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`)

/** `2 Nov`, or `2 Nov 2025` in another year, in UTC. */
function dayOf(at: string, now: Date): string {
  const date = new Date(at)
  const isThisYear = date.getUTCFullYear() === now.getUTCFullYear()
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }).format(date)
}

/** `, node 24 and 22`: up to two versions of the most frequent name; `, 2 on node 24` where others do not say where. */
function versionsSaid(trust: StoredTrust, outcome: 'worked' | 'failed'): string {
  const told = trust.environments.filter((group) => group[outcome] > 0)
  const name = told[0]?.name
  const shown = told.filter((group) => group.name === name).slice(0, 2)
  if (shown.length === 0) return ''
  const there = shown.reduce((sum, group) => sum + group[outcome], 0)
  const where = `${name} ${shown.map(({ version }) => version).join(' and ')}`
  return there < trust[outcome] ? `, ${there} on ${where}` : `, ${where}`
}

/** “Worked for 3 people, last on 2 Nov, node 22; failed for 1 person, node 18”. Only people of full weight are named. */
export function trustSummary(trust: StoredTrust, now: Date): string {
  const { worked, failed, stale, last_confirmed_at } = trust
  const last = last_confirmed_at === null ? '' : `, last on ${dayOf(last_confirmed_at, now)}`
  const said = [
    worked > 0 ? `worked for ${people(worked)}${last}${versionsSaid(trust, 'worked')}` : '',
    failed > 0 ? `failed for ${people(failed)}${versionsSaid(trust, 'failed')}` : '',
    stale > 0 ? `called outdated by ${people(stale)}` : '',
  ].filter((part) => part !== '')
  if (said.length === 0) return 'No independent verdict yet'
  const isOfFormerFix = trust.before_change === trust.people
  const text = `${isOfFormerFix ? 'before the last change: ' : ''}${said.join('; ')}`
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return sentence.length <= LONGEST_SUMMARY ? sentence : `${sentence.slice(0, LONGEST_SUMMARY - 1)}…`
}
