import type { Fits } from '../../features/cites/fits.ts'
import type { HeldCard } from './check-cards.ts'
import type { Locked } from './lock-files/locked.ts'
import { paint, plain, print } from './terminal.ts'

export type Report = {
  folder: string
  read: string[]
  passed_over: { file: string; reason: string }[]
  counts: Record<Fits, number> & { elsewhere: number; with_verdict: number }
  cards: HeldCard[]
}

export function reportOf(folder: string, locked: Locked, total: number, cards: HeldCard[]): Report {
  const count = (fits: Fits) => cards.filter((card) => card.fits === fits).length
  return {
    folder,
    read: locked.files,
    passed_over: locked.passedOver,
    counts: {
      older: count('older'),
      exact: count('exact'),
      likely: count('likely'),
      unknown: count('unknown'),
      elsewhere: total - cards.length,
      with_verdict: cards.filter((card) => card.verdicts.length > 0).length,
    },
    cards,
  }
}

const titleOf = (card: HeldCard): string => `  ${card.card_id}  ${plain(card.title)}`

/** A heading and lines for each card, or nothing without cards. */
function printCards(heading: string, cards: readonly HeldCard[], below: (card: HeldCard) => string[]): void {
  if (cards.length === 0) return
  print(`\n${heading}`)
  for (const card of cards) {
    print(titleOf(card))
    for (const line of below(card)) print(paint('dim', `    ${line}`))
  }
}

const reasons = (card: HeldCard, fits: Fits): string[] =>
  card.cites.filter((cite) => cite.fits === fits).map(({ cite, why }) => `${plain(cite, 100)}: ${why}`)

const said = ({ verdicts }: HeldCard): string[] =>
  verdicts.map(({ name, version, worked, failed }) => {
    const counts = [worked > 0 ? `worked for ${worked}` : '', failed > 0 ? `failed for ${failed}` : '']
    return `${counts.filter((text) => text !== '').join(', ')} on ${plain(`${name} ${version}`, 60)}`
  })

export function printReport({ read, counts, cards }: Report): void {
  const files =
    read.length > 4 ? `${read.slice(0, 3).join(', ')} and ${read.length - 3} more` : read.join(', ')
  const citing = cards.length === 1 ? '1 card cites' : `${cards.length} cards cite`
  print(`${citing} something that is here (${files || 'no lock file'}).`)
  const of = (fits: Fits) => cards.filter((card) => card.fits === fits)
  printCards(paint('red', `No longer fit: ${counts.older}`), of('older'), (card) => reasons(card, 'older'))
  printCards(paint('green', `Fit exactly: ${counts.exact}`), of('exact'), (card) => reasons(card, 'exact'))
  const judged = cards.filter((card) => card.verdicts.length > 0)
  printCards(paint('bold', `With a verdict for these versions: ${counts.with_verdict}`), judged, said)
  print(
    `\nLikely to fit: ${counts.likely}. Not decided: ${counts.unknown}. About other things: ${counts.elsewhere}.`,
  )
}
