import { expect, test } from 'vitest'
import { readDateWords } from './question.ts'

/** A Wednesday. */
const NOW = new Date('2026-03-18T15:30:00.000Z')

const read = (query: string) => {
  const dated = readDateWords(query, NOW)
  return dated && [dated.period.from.slice(0, 10), dated.period.to.slice(0, 10), dated.rest]
}

test.each([
  ['what did we deploy yesterday', '2026-03-17', '2026-03-18', 'what did we deploy'],
  ['deploys today', '2026-03-18', '2026-03-19', 'deploys'],
  ['the day before yesterday the pool leaked', '2026-03-16', '2026-03-17', 'the pool leaked'],
  ['Webhook fix last week', '2026-03-09', '2026-03-16', 'Webhook fix'],
  ['bugs of this week', '2026-03-16', '2026-03-23', 'bugs of'],
  ['last month deploys', '2026-02-01', '2026-03-01', 'deploys'],
  ['decisions last year', '2025-01-01', '2026-01-01', 'decisions'],
  ['two days ago the build broke', '2026-03-16', '2026-03-17', 'the build broke'],
  ['3 weeks ago', '2026-02-23', '2026-03-02', ''],
  ['a month ago we chose zod', '2026-02-01', '2026-03-01', 'we chose zod'],
  ['errors in the last 7 days', '2026-03-11', '2026-03-19', 'errors'],
  ['standup on Monday', '2026-03-16', '2026-03-17', 'standup'],
  ['last wednesday retro', '2026-03-11', '2026-03-12', 'retro'],
  ['in March the certificate', '2026-03-01', '2026-04-01', 'the certificate'],
  ['in May the certificate', '2025-05-01', '2025-06-01', 'the certificate'],
  ['billing March 2024', '2024-03-01', '2024-04-01', 'billing'],
  ['release of March 5th', '2026-03-05', '2026-03-06', 'release of'],
  ['release on 5 March 2025', '2025-03-05', '2025-03-06', 'release'],
  ['on 2026-03-02 the ledger', '2026-03-02', '2026-03-03', 'the ledger'],
  ['incidents 2026-02', '2026-02-01', '2026-03-01', 'incidents'],
  ['in 2025 we moved', '2025-01-01', '2026-01-01', 'we moved'],
  ['changes since Monday', '2026-03-16', '9999-01-01', 'changes'],
  ['changes since yesterday', '2026-03-17', '9999-01-01', 'changes'],
  ['changes since 2026-03-01', '2026-03-01', '9999-01-01', 'changes'],
  ['plans before last week', '1970-01-01', '2026-03-09', 'plans'],
  ['was haben wir gestern gemacht', '2026-03-17', '2026-03-18', 'was haben wir gemacht'],
  ['Fehler letzte Woche', '2026-03-09', '2026-03-16', 'Fehler'],
  ['vor zwei Tagen', '2026-03-16', '2026-03-17', ''],
  ['im März 2025', '2025-03-01', '2025-04-01', ''],
  ['am Montag', '2026-03-16', '2026-03-17', ''],
] as const)('%s', (query, from, to, rest) => {
  expect(read(query)).toEqual([from, to, rest])
})

test.each([
  'it may fail',
  'the march of time',
  'sunday driver',
  'version 2026.3',
  'release-2026-03-02-hotfix',
  'last resort',
  'monday.com api',
  'on 2026-13-02',
  '30 February',
  'x'.repeat(301),
])('%s has no date words', (query) => {
  expect(read(query)).toBeUndefined()
})
