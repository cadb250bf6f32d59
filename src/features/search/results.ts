import type { UserCtx } from '../../core/context.ts'
import { MARK, type Whose } from '../../core/provenance.ts'
import { fromJson } from '../../db/columns.ts'
import { phraseTest } from '../../text/phrases.ts'
import type { CardFields } from '../../text/read-texts.ts'
import { explain, type Marked, markTexts } from '../../text/snippet.ts'
import { trackOf } from '../cards/card-type.ts'
import { type HomeFacts, presentHome } from '../cards/home.ts'
import { matchesEnvironment, sameTag } from '../cards/indexing/filters.ts'
import { feedbackOf, isLikelyOutdated, provenanceOf } from '../cards/present.ts'
import { presentTrust } from '../cards/present-trust.ts'
import { fitsOf } from '../cites/fits.ts'
import { containsInstructions } from '../review/find-danger.ts'
import { type StoredTrust, storedTrust } from '../trust/stored-trust.ts'
import { type Cover, confidenceOf, logitByCovers, STEM_CREDIT } from './confidence.ts'
import { type CardTexts, type HitCard, hitCards } from './hit-cards.ts'
import type { HitRow } from './hit-rows.ts'
import type { Asked, Hit } from './retrieve.ts'
import type { SearchResultAnswer } from './schemas.ts'
import type { SearchScope } from './scope.ts'

/** A hit with its card, read with the viewer's permission. */
export type Loaded = {
  row: HitRow & { whose: Whose }
  texts: CardTexts
  marked: Marked
  /** Without a look at the other hits. */
  confidence: number
  logit: number
  trust: StoredTrust | null
  /** How much of each asked word the card has, according to its texts. */
  covers: Cover[]
}

/** Further conditions that can only be checked in the texts of a card. */
export type Demands = { phrases: readonly string[]; isInTitle: boolean }

/** The viewer's own text, unless somebody else wrote the last version; otherwise by the scope. Pulled text is a stranger's. */
function whoseIs(row: HitRow, { viewerId, scope }: SearchScope): Whose {
  if (row.origin !== null) return 'public'
  if (row.owner_id !== viewerId) return scope === 'public' ? 'public' : 'team'
  return row.edited_by === viewerId ? 'you' : 'team'
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
 * edited a moment ago is skipped, and so is one that lacks a phrase.
 */
export async function loadHits(
  ctx: UserCtx,
  scope: SearchScope,
  asked: readonly Asked[],
  hits: readonly Hit[],
  demands: Demands,
): Promise<Loaded[]> {
  const cards = await hitCards(
    ctx,
    scope,
    hits.map((hit) => hit.docNo),
  )
  const phrases = demands.phrases.map(phraseTest)
  return hits.flatMap((hit) => {
    const card = cards.get(hit.docNo)
    if (!card || !passes(card, scope)) return []
    const { row, texts } = card
    const read = demands.isInTitle ? titleOf(texts.read) : texts.read
    if (!phrases.every((isIn) => read.fields.some(({ text }) => isIn(text)))) return []
    const matched = readHit(read, asked, hit)
    return matched
      ? [{ row: { ...row, whose: whoseIs(row, scope) }, texts, trust: storedTrust(row.trust), ...matched }]
      : []
  })
}

const titleOf = (read: CardFields): CardFields => ({ ...read, fields: read.fields.slice(0, 1) })

function readHit(read: CardFields, asked: readonly Asked[], hit: Hit) {
  const known = hit.covers?.map((cover, i) => (isSpokenFor(cover, asked[i] as Asked, read) ? cover : NOTHING))
  const marked = markTexts(read, termsOf(asked, known))
  if (marked.forms.size === 0) return undefined
  const covers = asked.map((word, i) => coverInTexts(word, known?.[i], marked.forms))
  const logit = hit.covers ? logitByCovers(asked, covers, hit) : Number.NEGATIVE_INFINITY
  return { marked, covers, logit, confidence: confidenceOf(logit) }
}

const NOTHING: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }

/** Without the whole name, its parts count only if they are next to each other. */
function isSpokenFor({ isByParts }: Cover, { spoken }: Asked, { fields }: CardFields): boolean {
  if (!isByParts) return true
  const isIn = phraseTest(spoken)
  return fields.some(({ text }) => isIn(text))
}

/** The terms by which a card matched; all terms for a card without known covers. */
function termsOf(asked: readonly Asked[], covers: readonly Cover[] | undefined): Set<string> {
  return new Set(
    asked.flatMap(({ term, parts, pairs = [], meant }, i) => {
      const cover = covers?.[i]
      if (cover?.credit === 0) return []
      return [term, ...pairs, ...(cover ? parts : []), ...meant.map(({ word }) => word)]
    }),
  )
}

/** Only the texts show whether a card has a word as it was typed. */
function coverInTexts(
  { term, typed, parts, pairs = [], meant }: Asked,
  cover: Cover | undefined,
  forms: Marked['forms'],
): Cover {
  if (!cover || cover.credit === 0) return NOTHING
  if (cover.isCorrected) return meant.some(({ word }) => forms.has(word)) ? cover : NOTHING
  const has = [term, ...parts, ...pairs].filter((name) => forms.has(name))
  if (has.length === 0) return NOTHING
  const isTyped = parts.length + pairs.length > 0 || forms.get(term)?.has(typed) === true
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

const SHORTENED = 1000
const shorten = (text: string) => (text.length <= SHORTENED ? text : `${text.slice(0, SHORTENED)}…`)

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
const provenanceWith = (row: Loaded['row'], snippet: string) => ({
  ...provenanceOf(row),
  ...(row.whose !== 'you' && containsInstructions(snippet) ? MARK : {}),
})

export const presentHit = (
  hit: Loaded & { homeFacts: HomeFacts; score: number },
  hitReason: SearchResultAnswer['hit_reason'],
  { isWeak, myEnvironment, now }: Showing,
): SearchResultAnswer => {
  const { row, texts, homeFacts, score, marked } = hit
  const { matched, snippet, why } = explain(marked, row.fix_summary)
  return {
    card_id: row.card_id,
    case_id: row.card_id,
    title: row.title,
    card_type: row.card_type,
    track: trackOf(row.card_type),
    symptom: shorten(row.symptom),
    fix_summary: shorten(row.fix_summary),
    tags: texts.tags,
    environment: texts.environment,
    status: row.status,
    workspace_id: row.workspace_id,
    ...presentHome({ ...row, ...homeFacts }),
    owner_name: row.owner_name,
    provenance: provenanceWith(row, snippet),
    score,
    weak: isWeak,
    matched_terms: matched,
    why,
    snippet,
    hit_reason: hitReason,
    feedback: feedbackOf(row),
    trust: presentTrust(row.trust, now),
    ...(myEnvironment ? { fits: fitsOf(fittingOf(hit), myEnvironment) } : {}),
    likely_outdated: isLikelyOutdated(row),
    updated_at: row.updated_at,
  }
}
