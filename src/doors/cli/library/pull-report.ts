import { plain, print } from '../terminal.ts'
import type { Taken, Withdrawn } from './send-cards.ts'

export type Report = {
  server: string
  dryRun: boolean
  counts: Record<string, number>
  items: Taken[]
  withdrawn: Withdrawn[]
}

const WORDS: Record<string, string> = {
  created: 'new',
  updated: 'updated',
  unchanged: 'as before',
  duplicate: 'already here, with the same content',
  edited_here: 'newer there, but edited here: left alone',
  deleted_here: 'deleted here: not brought back',
  own: 'originally from this vault',
  blocked: 'kept out by the review',
  damaged: 'damaged',
}

/** This many are listed; --json lists all. */
const MOST_NAMED = 20

function printNamed(items: readonly Taken[]): void {
  for (const { title, outcome, reasons, similar } of items.slice(0, MOST_NAMED)) {
    print(`  ${plain(title)}: ${WORDS[outcome] ?? outcome}`)
    for (const { message } of (reasons ?? []).slice(0, 3)) print(`    ${plain(message, 200)}`)
    for (const near of similar ?? [])
      print(`    near: ${plain(near.title)} (${near.card_id}, ${Math.round(100 * near.similarity)} %)`)
  }
  if (items.length > MOST_NAMED) print(`  and ${items.length - MOST_NAMED} more; --json lists all`)
}

/** New and updated cards are only counted. The others need attention, so they are listed. */
export const isTold = ({ outcome, similar }: Taken): boolean =>
  !['created', 'updated', 'unchanged', 'own'].includes(outcome) || similar !== undefined

function fateOf({ removed, changed_here, reason }: Withdrawn): string {
  if (removed) return ', deleted here; it can be brought back for 30 days'
  if (changed_here) return ', edited here: kept'
  return reason === undefined ? '' : `, not deleted: ${plain(reason, 200)}`
}

export function printReport(report: Report, isPruned: boolean): void {
  const total = Object.values(report.counts).reduce((sum, count) => sum + count, 0)
  print(`${report.dryRun ? 'Would pull from' : 'Pulled from'} ${report.server}: ${total} cards, verified.`)
  for (const [outcome, count] of Object.entries(report.counts))
    print(`  ${count} ${WORDS[outcome] ?? outcome}`)
  if (report.items.length > 0) print('Look at these:')
  printNamed(report.items)
  if (report.withdrawn.length === 0) return
  print('No longer in the library there:')
  for (const card of report.withdrawn.slice(0, MOST_NAMED))
    print(`  ${plain(card.title)} (${card.card_id})${fateOf(card)}`)
  if (report.withdrawn.length > MOST_NAMED)
    print(`  and ${report.withdrawn.length - MOST_NAMED} more; --json lists all`)
  if (!isPruned)
    print(
      'They stay here. --prune deletes those that nobody has edited here; they can be brought back for 30 days.',
    )
}
