import type { UserCtx } from '../../core/context.ts'
import { MARK, type Whose } from '../../core/provenance.ts'
import { fromJson } from '../../db/columns.ts'
import { phraseTest } from '../../text/phrases.ts'
import { explain, type Field, type Marked, markTexts } from '../../text/snippet.ts'
import { trackOf } from '../cards/card-type.ts'
import type { Step } from '../cards/content.ts'
import { evidenceTexts } from '../cards/evidence-texts.ts'
import { type HomeFacts, presentHome } from '../cards/home.ts'
import { matchesEnvironment, sameTag } from '../cards/indexing/filters.ts'
import { feedbackOf, isLikelyOutdated, provenanceOf } from '../cards/present.ts'
import { presentTrust } from '../cards/present-trust.ts'
import { fitsOf } from '../cites/fits.ts'
import { containsInstructions } from '../review/find-danger.ts'
import { type StoredTrust, storedTrust } from '../trust/stored-trust.ts'
import { type Cover, confidenceOf, logitByCovers, STEM_CREDIT } from './confidence.ts'
import { type HitRow, hitRows } from './hit-rows.ts'
import type { Asked, Hit } from './retrieve.ts'
import type { SearchResultAnswer } from './schemas.ts'
import type { SearchScope } from './scope.ts'

/** A hit with its card, read with the viewer's permission. */
export type Loaded = {
  row: HitRow & { whose: Whose }
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
const passes = (row: HitRow, { tags, environment, track, type }: SearchScope): boolean => {
  const hasTag = (tag: string) => fromJson<string[]>(row.tags).some((other) => sameTag(tag, other))
  return (
    tags.every(hasTag) &&
    (isEmpty(environment) || matchesEnvironment(fromJson(row.environment), environment)) &&
    (track === undefined || trackOf(row.card_type) === track) &&
    (type === undefined || row.card_type === type)
  )
}

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
  const rows = await hitRows(
    ctx,
    scope,
    hits.map((hit) => hit.docNo),
  )
  const evidence = await evidenceTexts(ctx.db, rows)
  const byNumber = new Map(rows.map((row) => [row.doc_no, row]))
  const phrases = demands.phrases.map(phraseTest)
  return hits.flatMap((hit) => {
    const row = byNumber.get(hit.docNo)
    if (!row || !passes(row, scope)) return []
    const fields = demands.isInTitle ? [] : fieldsOf(row, evidence.get(row.card_id) ?? [])
    const texts = [row.title, ...fields.map(({ text }) => text)]
    if (!phrases.every((isIn) => texts.some(isIn))) return []
    const read = readHit(row, fields, asked, hit)
    return read
      ? [{ row: { ...row, whose: whoseIs(row, scope) }, trust: storedTrust(row.trust), ...read }]
      : []
  })
}

function readHit(row: HitRow, fields: readonly Field[], asked: readonly Asked[], hit: Hit) {
  const texts = [row.title, ...fields.map(({ text }) => text)]
  const known = hit.covers?.map((cover, i) =>
    isSpokenFor(cover, asked[i] as Asked, texts) ? cover : NOTHING,
  )
  const marked = markTexts(row.title, fields, termsOf(asked, known))
  if (marked.forms.size === 0) return undefined
  const covers = asked.map((word, i) => coverInTexts(word, known?.[i], marked.forms))
  const logit = hit.covers ? logitByCovers(asked, covers, hit) : Number.NEGATIVE_INFINITY
  return { marked, covers, logit, confidence: confidenceOf(logit) }
}

const NOTHING: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }

/** Without the whole name, its parts count only if they are next to each other. */
const isSpokenFor = ({ isByParts }: Cover, { spoken }: Asked, texts: readonly string[]): boolean =>
  !isByParts || texts.some(phraseTest(spoken))

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

function fieldsOf(row: HitRow, evidence: readonly string[]): Field[] {
  const fields: Field[] = []
  const add = (where: string, text: string | null) => {
    if (text) fields.push({ where, text })
  }
  add('symptom', row.symptom)
  add('fix_summary', row.fix_summary)
  add('root_cause', row.root_cause)
  for (const { action, result } of fromJson<Step[]>(row.steps)) {
    add('steps', `${action ?? ''}`)
    add('steps', `${result ?? ''}`)
  }
  add('body', row.body)
  add('tags', fromJson<string[]>(row.tags).join(', '))
  add('environment', environmentText(fromJson(row.environment)))
  add('scope_notes', row.scope_notes)
  for (const text of evidence) fields.push({ where: 'evidence', text, isLog: true })
  return fields
}

const environmentText = (environment: Record<string, string>): string =>
  Object.entries(environment)
    .map((entry) => entry.join(' '))
    .join(', ')

const SHORTENED = 1000
const shorten = (text: string) => (text.length <= SHORTENED ? text : `${text.slice(0, SHORTENED)}…`)

type Showing = {
  isWeak: boolean
  /** The environment of the caller, if given. */
  myEnvironment: Record<string, string> | undefined
  now: Date
}

const fittingOf = (row: HitRow, trust: StoredTrust | null) => ({
  cites: fromJson<string[]>(row.cites ?? '[]'),
  environment: fromJson<Record<string, string>>(row.environment),
  verdicts: trust?.environments ?? [],
})

/** A snippet may come from evidence, which is not part of the card's row. */
const provenanceWith = (row: Loaded['row'], snippet: string) => ({
  ...provenanceOf(row),
  ...(row.whose !== 'you' && containsInstructions(snippet) ? MARK : {}),
})

export const presentHit = (
  { row, homeFacts, trust, score, marked }: Loaded & { homeFacts: HomeFacts; score: number },
  hitReason: SearchResultAnswer['hit_reason'],
  { isWeak, myEnvironment, now }: Showing,
): SearchResultAnswer => {
  const { matched, snippet, why } = explain(marked, row.fix_summary)
  return {
    card_id: row.card_id,
    case_id: row.card_id,
    title: row.title,
    card_type: row.card_type,
    track: trackOf(row.card_type),
    symptom: shorten(row.symptom),
    fix_summary: shorten(row.fix_summary),
    tags: fromJson(row.tags),
    environment: fromJson(row.environment),
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
    ...(myEnvironment ? { fits: fitsOf(fittingOf(row, trust), myEnvironment) } : {}),
    likely_outdated: isLikelyOutdated(row),
    updated_at: row.updated_at,
  }
}
