import type { UserCtx } from '../../core/context.ts'
import { withMark } from '../../core/provenance.ts'
import { fromJson } from '../../db/columns.ts'
import { beginningOf } from '../../text/cut-text.ts'
import { beginningTest, type NamedTexts, namedTexts, nameTest, phraseTest } from '../../text/phrases.ts'
import { type CardFields, type WantedTerms, wantTerms } from '../../text/read-texts.ts'
import { explain, type Marked, markTexts, type Shown } from '../../text/snippet.ts'
import { trackOf } from '../cards/card-type.ts'
import { type HomeFacts, presentHome } from '../cards/home.ts'
import { matchesEnvironment } from '../cards/indexing/filters.ts'
import { feedbackOf, isLikelyOutdated, provenanceOf, withNames } from '../cards/present.ts'
import { presentTrust } from '../cards/present-trust.ts'
import { sameTag } from '../cards/tags.ts'
import { fitsOf } from '../cites/fits.ts'
import { containsInstructions } from '../review/find-danger.ts'
import { type StoredTrust, storedTrust } from '../trust/stored-trust.ts'
import {
  type Cover,
  confidenceOf,
  logitByCovers,
  logitOfChance,
  STEM_CREDIT,
  weighQuery,
} from './confidence.ts'
import { type HitCard, hitCards, lengthOf } from './hit-cards.ts'
import { type AskedCodes, isAboutAnotherCode } from './other-code.ts'
import type { Asked, Hit } from './retrieve.ts'
import type { SearchResultAnswer } from './schemas.ts'
import type { SearchScope } from './scope.ts'

/** A hit with its card, read with the viewer's permission. */
export type Loaded = HitCard & {
  marked: Marked
  /** Without a look at the other hits. */
  confidence: number
  logit: number
  trust: StoredTrust | null
  /** How much of each asked word the card has, according to its texts. */
  covers: Cover[]
}

/** Further conditions that can only be checked in the texts of a card. */
export type Demands = {
  phrases: readonly string[]
  isInTitle: boolean
  /** A card about another code of the same kind is met by chance. */
  codes: AskedCodes
}

const isEmpty = (asked: SearchScope['environment']): boolean => {
  for (const _ in asked) return false
  return true
}

/** The index compares hashes of names; here the names themselves are compared. */
const passes = ({ row, texts }: HitCard, { tags, environment, track, type }: SearchScope): boolean =>
  tags.every((tag) => texts.tags.some((other) => sameTag(tag, other))) &&
  (isEmpty(environment) || matchesEnvironment(texts.environment, environment)) &&
  (track === undefined || trackOf(row.card_type) === track) &&
  (type === undefined || row.card_type === type)

/**
 * Reads some hits. What the index says is checked against the cards themselves: a card that was hidden, moved or
 * edited a moment ago is skipped, and so is one that lacks a phrase. `characters` is how much was read for that.
 */
export async function loadHits(
  ctx: UserCtx,
  scope: SearchScope,
  asked: readonly Asked[],
  hits: readonly Hit[],
  demands: Demands,
): Promise<{ loaded: Loaded[]; characters: number }> {
  const cards = await hitCards(ctx, scope, hits)
  const phrases = demands.phrases.map(phraseTest)
  const readHit = hitReader(asked)
  const loaded = hits.flatMap((hit) => {
    const card = cards.get(hit.docNo)
    if (!card || !passes(card, scope)) return []
    const { row, texts } = card
    const read = demands.isInTitle ? titleOf(texts.read) : texts.read
    if (!phrases.every((isIn) => read.fields.some(({ text }) => isIn(text)))) return []
    const matched = readHit(read, hit, isAboutAnotherCode(demands.codes, texts.read))
    return matched ? [{ row, texts, trust: storedTrust(row), ...matched }] : []
  })
  let characters = 0
  for (const { texts } of cards.values()) characters += lengthOf(texts)
  return { loaded, characters }
}

const titleOf = (read: CardFields): CardFields => ({ ...read, fields: read.fields.slice(0, 1) })

/** Finds what matched in the texts of a hit. What is the same for all hits is worked out once. */
function hitReader(asked: readonly Asked[]) {
  const query = weighQuery(asked)
  const termsFor = termsByCovers(asked)
  const spokenTests = asked.map(({ spoken, parts }) => (parts.length > 0 ? nameTest(spoken) : undefined))
  return (read: CardFields, hit: Hit, isByChance: boolean) => {
    const named = namedTexts(read.fields.map(({ text }) => text))
    const known = hit.covers?.map((cover, i) => (isSpokenFor(cover, spokenTests[i], named) ? cover : NOTHING))
    const marked = markTexts(read, termsFor(known))
    if (marked.forms.size === 0) return undefined
    const covers = asked.map((word, i) => coverInTexts(word, known?.[i], marked.forms, named))
    const byCovers = hit.covers ? logitByCovers(query, covers, hit) : Number.NEGATIVE_INFINITY
    const logit = isByChance ? logitOfChance(byCovers) : byCovers
    return { marked, covers, logit, confidence: confidenceOf(logit) }
  }
}

const NOTHING: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }

/** Without the whole name, its parts count only if they are next to each other, said or in a longer name. */
const isSpokenFor = (
  { isByParts }: Cover,
  isIn: ((named: NamedTexts) => boolean) | undefined,
  named: NamedTexts,
): boolean => !(isByParts && isIn) || isIn(named)

/** Cards that have the same words are searched for the same terms. */
function termsByCovers(asked: readonly Asked[]): (covers: readonly Cover[] | undefined) => WantedTerms {
  const made = new Map<string, WantedTerms>()
  return (covers) => {
    const words = covers ? covers.map(({ credit }) => (credit === 0 ? '-' : '+')).join('') : ''
    const known = made.get(words) ?? wantTerms(termsOf(asked, covers))
    made.set(words, known)
    return known
  }
}

/** The terms by which a card matched; all terms for a card without known covers. */
function termsOf(asked: readonly Asked[], covers: readonly Cover[] | undefined): Set<string> {
  return new Set(
    asked.flatMap(({ term, parts, otherTerms = [], meant }, i) => {
      const cover = covers?.[i]
      if (cover?.credit === 0) return []
      return [term, ...otherTerms, ...(cover ? parts : []), ...meant.map(({ word }) => word)]
    }),
  )
}

/** Only the texts show whether a card has a word as it was typed. */
function coverInTexts(
  { term, typed, parts, otherTerms = [], meant }: Asked,
  cover: Cover | undefined,
  forms: Marked['forms'],
  named: NamedTexts,
): Cover {
  if (!cover || cover.credit === 0) return NOTHING
  if (cover.isCorrected) {
    const like = meant.find(({ word }) => forms.has(word))
    if (like?.otherwise === undefined) return like ? cover : NOTHING
    return beginningTest(typed)(named)
      ? cover
      : { ...cover, credit: (cover.credit * like.otherwise) / like.likeness }
  }
  const isIn = (name: string) => forms.has(name)
  if (!isIn(term) && !parts.some(isIn) && !otherTerms.some(isIn)) return NOTHING
  const isTyped = parts.length + otherTerms.length > 0 || forms.get(term)?.has(typed) === true
  return isTyped ? cover : { ...cover, credit: cover.credit * STEM_CREDIT }
}

/** The words of a card that were taken to be meant by words of the query: `{kubernets: kubernetes}`. */
export function correctionsIn(asked: readonly Asked[], hits: readonly Loaded[]): Record<string, string> {
  const found: Record<string, string> = {}
  asked.forEach(({ typed, meant }, i) => {
    for (const { covers, marked } of hits) {
      if (!covers[i]?.isCorrected) continue
      const form = meant.flatMap(({ word }) => [...(marked.forms.get(word) ?? [])])[0]
      if (form !== undefined) {
        found[typed] = form
        return
      }
    }
  })
  return found
}

const SHOWN_CHARACTERS = 1000

type Showing = {
  isWeak: boolean
  /** The environment of the caller, if given. */
  myEnvironment: Record<string, string> | undefined
  now: Date
}

const fittingOf = ({ row, texts, trust }: Loaded) => ({
  cites: fromJson<string[]>(row.cites ?? '[]'),
  environment: texts.environment,
  verdicts: trust?.environments ?? [],
})

/** A snippet may come from evidence, which is not part of the card's row. */
function provenanceWith(row: Loaded['row'], { snippet, isLog }: Shown) {
  const provenance = provenanceOf(row)
  return isLog && row.whose !== 'you' && containsInstructions(snippet) ? withMark(provenance) : provenance
}

export const presentHit = (
  hit: Loaded & { homeFacts: HomeFacts; score: number },
  hitReason: SearchResultAnswer['hit_reason'],
  { isWeak, myEnvironment, now }: Showing,
): SearchResultAnswer => {
  const { row, texts, homeFacts, score, marked } = hit
  const shown = explain(marked, row.fix_summary)
  const home = presentHome({
    ...homeFacts,
    workspace_id: row.workspace_id,
    status: row.status,
    review_status: row.review_status,
    hidden_at: row.hidden_at,
  })
  return {
    card_id: row.card_id,
    case_id: row.card_id,
    title: row.title,
    card_type: row.card_type,
    track: trackOf(row.card_type),
    symptom: beginningOf(row.symptom, SHOWN_CHARACTERS),
    fix_summary: beginningOf(row.fix_summary, SHOWN_CHARACTERS),
    tags: texts.tags,
    environment: texts.environment,
    status: row.status,
    workspace_id: row.workspace_id,
    ...home,
    owner_name: row.owner_name,
    provenance: withNames(provenanceWith(row, shown), row, home),
    score,
    weak: isWeak,
    matched_terms: shown.matched,
    why: shown.why,
    snippet: shown.snippet,
    hit_reason: hitReason,
    feedback: feedbackOf(row),
    trust: presentTrust(row, now),
    ...(myEnvironment ? { fits: fitsOf(fittingOf(hit), myEnvironment) } : {}),
    likely_outdated: isLikelyOutdated(row),
    updated_at: row.updated_at,
  }
}
