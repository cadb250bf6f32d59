import type { Ctx } from '../core/context.ts'
import { addFurther, collect } from './collect.ts'
import { documentsByNumber, freshDocuments, type IndexView } from './index-store.ts'
import { type Candidate, type Match, passes, type Without } from './packing.ts'
import { matches, type Wanted } from './score.ts'

const REACH = {
  /** Entries of posting lists: rarest words first, commoner ones as far as they fit. */
  postings: 200_000,
  /** Entries of the commoner words' lists that are read for the documents already found. */
  further: 1_000_000,
  enough: 20,
}

/** How many candidates are scored: where all lists were read, and where some were not. */
const WELL_KNOWN = 60
const VAGUELY_KNOWN = 250
const KEPT = 300

export type RankedMatches = {
  candidates: Candidate[]
  others: number[]
}

type Plan = {
  hashes: Map<number, number>
  /** Words that did not fit, with the length of their lists. */
  further: Map<number, number>
  furtherPostings: number
}

/** The rarest words choose the candidates; every word then scores them. */
function planFor(wanted: readonly Wanted[], postings: number): Plan {
  const words = wanted
    .flat()
    .flatMap((option) => [option, ...(option.parts ?? [])])
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => a.postings - b.postings)
  const plan: Plan = { hashes: new Map(), further: new Map(), furtherPostings: 0 }
  let sum = 0
  for (const { hash, postings: length, worth } of words) {
    sum += length
    if (sum <= postings || plan.hashes.size === 0) plan.hashes.set(hash, worth)
    else if (!plan.hashes.has(hash)) {
      plan.further.set(hash, worth)
      plan.furtherPostings += length
    }
  }
  return plan
}

const hasAny = (candidate: Candidate, wanted: readonly Wanted[]) =>
  wanted.some((alternatives) => alternatives.some((option) => matches(candidate, option)))

/** Finds the cards that pass every filter and match most of the query. */
export async function findBest(
  ctx: Ctx,
  view: IndexView,
  wanted: readonly Wanted[],
  narrowed: Match,
  without: Without = [],
): Promise<RankedMatches> {
  const isFound = (card: Candidate) => passes(card, narrowed, without) && hasAny(card, wanted)
  const fresh = view.fresh.filter(isFound)
  let plan = planFor(wanted, REACH.postings)
  let lists = await collectBy(view, plan, narrowed, without)
  if (lists.length + fresh.length < REACH.enough && plan.further.size > 0) {
    plan = planFor(wanted, Number.POSITIVE_INFINITY)
    lists = await collectBy(view, plan, narrowed, without)
  }
  const isWhole = plan.furtherPostings <= REACH.further
  if (isWhole && plan.further.size > 0)
    lists = addFurther(lists, await view.rowsOf(plan.further.keys()), plan.further)
  const isFresh = new Set(fresh.map((card) => card.docNo))
  const numbers = lists
    .map(({ docNo }) => docNo)
    .filter((docNo) => !isFresh.has(docNo) && !view.gone.has(docNo))
  const looked = numbers.slice(0, isWhole ? WELL_KNOWN : VAGUELY_KNOWN)
  const listed = await documentsByNumber(ctx, looked)
  const later =
    listed.length < looked.length
      ? (await freshDocuments(ctx, ctx.searchTuning.freshRead)).filter(isFound)
      : []
  return { candidates: eachOnce([...later, ...fresh, ...listed]), others: numbers.slice(looked.length) }
}

/** A document that changes during a search may appear under two numbers. */
function eachOnce(candidates: readonly Candidate[]): Candidate[] {
  const met = new Set<string>()
  return candidates.filter(({ documentId }) => !met.has(documentId) && met.add(documentId))
}

async function collectBy(view: IndexView, { hashes }: Plan, narrowed: Match, without: Without) {
  const rows = await view.rowsOf([...hashes.keys(), ...narrowed.flat(), ...without.flat()])
  return collect(rows, hashes, { narrowed, without }, view.dead, KEPT)
}
