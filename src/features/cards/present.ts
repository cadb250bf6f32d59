import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { conflict, invalid } from '../../core/errors.ts'
import { keepAnswer, partOf } from '../../core/invoke.ts'
import { AnswerId, MAX_PAGE_BYTES, Time } from '../../core/schemas.ts'
import { markOf, Provenance, type ProvenanceAnswer, withMark } from '../../core/untrusted-text.ts'
import { fromJson, fromJsonOrNull } from '../../db/columns.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { contentOf, type ReviewReason } from '../../shared/card-checks.ts'
import {
  type CardContent,
  DEFINITION,
  FIELDS_BY_PLACE,
  JSON_FIELDS,
  pick,
  TEXT_FIELDS,
  WRITTEN_FIELDS,
  type WrittenField,
} from '../../shared/card-fields.ts'
import { contentHash } from '../../shared/library-snapshot.ts'
import { LICENCE_TEXTS, type Licence, mustStay } from '../../shared/licences.ts'
import { beginningOf, cutText } from '../../text/unicode.ts'
import {
  answered,
  type CardAnswer,
  type CaseResponse,
  CutJson,
  hostOfOrigin,
  type ListedCard,
  type PublicationAnswer,
  presentOrigin,
  Review,
  storedOrigin,
  thinParts,
  trackOf,
  Warning,
} from './card.ts'
import { isDistrusted, presentTrust, trustCounts } from './card-trust.ts'
import {
  type CardRow,
  canEdit,
  canReadHistory,
  type ListedRow,
  SHORT_TEXT,
  writtenCharacters,
} from './list.ts'
import type { EvidenceRow } from './store.ts'
import { type HomeAnswer, presentHome } from './visibility.ts'

type PublishedRow = Pick<
  CardRow,
  'content_hash' | 'licence' | 'version_published_at' | 'owner_name' | 'origin'
>

export const authorOf = (row: Pick<PublishedRow, 'owner_name' | 'origin'>): string =>
  storedOrigin(row)?.author ?? row.owner_name

export function presentPublication(row: PublishedRow): PublicationAnswer | null {
  const { content_hash, licence, version_published_at } = row
  if (content_hash === null || version_published_at === null) return null
  return {
    content_hash,
    author: authorOf(row),
    published_at: version_published_at,
    licence,
    licence_url: licence && LICENCE_TEXTS[licence],
  }
}

export const publishedColumns = (row: CardRow, now: string) => ({
  content_hash: contentHash(contentOf(row)),
  version_published_at: row.licence === null ? now : (row.version_published_at ?? now),
})

function hashOfDraft(row: CardRow, after: CardContent, isChanged: boolean): string | null {
  if (row.origin !== null) return contentHash(after)
  return isChanged ? null : row.content_hash
}

export const editedColumns = (row: CardRow, after: CardContent, isChanged: boolean, now: string) =>
  row.status === 'published'
    ? {
        content_hash: contentHash(after),
        version_published_at: now,
        licence: row.workspace_visibility === 'private' ? null : row.licence,
      }
    : { content_hash: hashOfDraft(row, after, isChanged), version_published_at: null, licence: null }

const fixed = (licence: Licence, detail: string) => conflict('licence_fixed', detail, { licence })

/** Returns the licence of this version. A card gets one only where strangers can read it. */
export function licenceFor(
  ctx: Ctx,
  row: CardRow,
  visibility: 'private' | 'unlisted' | 'public',
  wanted: Licence | undefined,
): Licence | null {
  if (visibility === 'private') {
    if (wanted === undefined) return row.licence
    throw invalid(
      'licence',
      'A card has a licence only where everybody can read it, not in a private workspace',
    )
  }
  if (row.licence !== null) {
    if (wanted === undefined || wanted === row.licence) return row.licence
    throw fixed(
      row.licence,
      `Version ${row.version} was published under ${row.licence}. This cannot be taken back. Unpublish the card and change it: the next version may have another licence.`,
    )
  }
  const origin = storedOrigin(row)
  if (origin !== null && mustStay(origin.licence)) {
    if (wanted === undefined || wanted === origin.licence) return origin.licence
    throw fixed(
      origin.licence,
      `${origin.author} published this text under ${origin.licence}. You can publish it only under that licence.`,
    )
  }
  return wanted ?? ctx.config.libraryLicence
}

type SpokenRow = Pick<CardRow, 'card_id' | 'updated_at' | 'cites' | Exclude<WrittenField, 'card_payload'>> &
  Partial<Pick<CardRow, 'card_payload'>>

type Remembered = { updatedAt: string; length: number; speaks: boolean }

const MAX_CACHE_ENTRIES = 20_000

/** Cache of results. The key contains the length, because rows may hold only the beginning of a text. */
const remembered = new LRUCache<string, Remembered>({ max: MAX_CACHE_ENTRIES })

const ESCAPES: Record<string, string> = { n: '\n', '"': '"', '\\': '\\' }

/** Replaces JSON escapes of line ends and quotes, so that the text is checked as a reader sees it. */
const unescaped = (json: string): string =>
  json.includes('\\')
    ? json.replaceAll(/\\(["\\n])/g, (_, character: string) => ESCAPES[character] ?? '')
    : json

const textsOf = (row: SpokenRow): string[] =>
  [...TEXT_FIELDS, ...JSON_FIELDS].map((field) => row[field] ?? '')

/** Package names have no blanks, so `_` and `-` separate words. */
const citesSpeak = (cites: string): boolean => containsInstructions(unescaped(cites).replaceAll('_', ' '))

/** Cites are not cached: they can change without the card's time of change. */
const hasAgentInstructions = (row: SpokenRow): boolean =>
  textsSpeak(row) || (row.cites !== null && citesSpeak(row.cites))

function textsSpeak(row: SpokenRow): boolean {
  const texts = textsOf(row)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const known = remembered.get(row.card_id)
  if (known?.updatedAt === row.updated_at && known.length === length) return known.speaks
  const speaks = containsInstructions(texts.map(unescaped).join('\n\n'))
  remembered.set(row.card_id, { updatedAt: row.updated_at, length, speaks })
  return speaks
}

type Counts = Pick<CardRow, 'feedback_useful' | 'feedback_not_applicable' | 'feedback_outdated'>

export const feedbackOf = (row: Counts) => ({
  useful: row.feedback_useful,
  not_applicable: row.feedback_not_applicable,
  outdated: row.feedback_outdated,
})

/** Returns whether verdicts and feedback speak against the card. Every answer that shows the card says so. */
export const isLikelyOutdated = (row: Pick<CardRow, 'trust'>): boolean => isDistrusted(trustCounts(row.trust))

/** Marks foreign text with instructions to agents, even if only a part is shown (prompt injection). */
export const provenanceOf = (
  row: Pick<CardRow, 'whose' | 'workspace_id' | 'team_id' | 'review_status' | 'origin'> & SpokenRow,
): ProvenanceAnswer => ({
  owner: row.whose,
  workspace: row.whose === 'team' ? (row.team_id ?? row.workspace_id) : row.workspace_id,
  reviewed: row.review_status === 'passed',
  ...(row.origin === null ? {} : { origin: hostOfOrigin(row) }),
  ...(row.whose === 'you' ? {} : markOf(hasAgentInstructions(row))),
})

/** To the owner only: the origin reveals which authors share a private team, and opens an unlisted one. */
const originFor = (row: CardRow): string => (row.is_own === 1 ? row.origin_workspace_id : row.workspace_id)

type Named = Pick<CardRow, 'whose' | 'owner_name' | 'origin'>

/** Strangers choose their names, which may contain instructions to agents (prompt injection). */
export function withNames(
  provenance: ProvenanceAnswer,
  row: Named,
  { home }: Pick<HomeAnswer, 'home'>,
): ProvenanceAnswer {
  const ofPeople = row.whose === 'you' ? [] : [row.owner_name, authorOf(row)]
  const ofPlace = home.kind === 'workspace' && home.name !== null ? [home.name] : []
  const ofTeam = home.published_from ? [home.published_from.name] : []
  return [...ofPeople, ...ofPlace, ...ofTeam].some(containsInstructions) ? withMark(provenance) : provenance
}

export const presentCard = (row: CardRow, now: Date): CardAnswer => ({
  card_id: row.card_id,
  case_id: row.card_id,
  workspace_id: row.workspace_id,
  origin_workspace_id: originFor(row),
  owner_id: row.owner_id,
  owner_name: row.owner_name,
  provenance: withNames(provenanceOf(row), row, presentHome(row)),
  track: trackOf(row.card_type),
  status: row.status,
  version: row.version,
  ...contentOf(row),
  evidence_count: row.evidence_count,
  review: {
    status: row.review_status,
    score: row.review_score,
    reasons: fromJson<ReviewReason[]>(row.review_reasons),
    reviewed_at: row.reviewed_at,
  },
  feedback: feedbackOf(row),
  ...presentHome(row),
  trust: presentTrust(row, now),
  ...(row.source_event_id === null ? {} : { source_event_id: row.source_event_id }),
  ...(row.hidden_at !== null && row.is_own === 1 ? { hidden_since: row.hidden_at } : {}),
  ...(row.sample === null ? {} : { is_sample: true as const }),
  cites: fromJson(row.cites ?? '[]'),
  review_after_days: row.review_after_days,
  likely_outdated: isLikelyOutdated(row),
  can_edit: canEdit(row),
  can_read_history: canReadHistory(row),
  created_at: row.created_at,
  updated_at: row.updated_at,
  published_at: row.published_at,
  publication: presentPublication(row),
  ...(row.origin === null ? {} : { origin: presentOrigin(row) ?? undefined }),
})

/** Cuts the fields that are long in a list without room. */
const shortOf = (card: CardAnswer): Partial<ListedCard> =>
  Object.fromEntries(
    WRITTEN_FIELDS.filter((field) => DEFINITION[field].short !== 'small').map((field) => {
      const value = DEFINITION[field].short === 'begin' ? card[field] : null
      return [field, typeof value === 'string' ? beginningOf(value, SHORT_TEXT) : null]
    }),
  )

const shortened = (card: CardAnswer): ListedCard => ({ ...card, ...shortOf(card), truncated: true })

/** JSON writes a control character with six characters. */
const MAX_ESCAPE_LENGTH = 6
const HEAD_BYTES = 8192

const bytesOf = (card: ListedCard): number => Buffer.byteLength(JSON.stringify(card))

/** Returns a page, measured as JSON: escapes can make stored text several times as long. */
export function presentPage(rows: readonly ListedRow[], now: Date): ListedCard[] {
  let left = MAX_PAGE_BYTES - MAX_PAGE_BYTES / 10
  return rows.map(({ row, wholeBytes }): ListedCard => {
    const card = presentCard(row, now)
    if (wholeBytes === null) return shortened(card)
    const atMost = MAX_ESCAPE_LENGTH * wholeBytes + HEAD_BYTES
    const bytes = atMost <= left / rows.length ? atMost : bytesOf(card)
    if (bytes > left) return shortened(card)
    left -= bytes
    return card
  })
}

export const presentEvidence = ({ truncated, ...row }: EvidenceRow) => ({
  ...(truncated ? { truncated } : {}),
  evidence_id: row.evidence_id,
  kind: row.kind,
  content: row.content,
  meta: fromJsonOrNull<Record<string, unknown>>(row.meta),
  added_by: row.added_by,
  created_at: row.created_at,
})

const MAX_KEPT = 500
const MAX_KEPT_LENGTH = 4000

type KeptCard = { row: CardRow; card: CardAnswer }

const KEPT_CARDS = new LRUCache<string, KeptCard>({ max: MAX_KEPT })

function isSame(a: CardRow, b: CardRow): boolean {
  for (const name in a) if (a[name as keyof CardRow] !== b[name as keyof CardRow]) return false
  return true
}

/** Not cached: words about trust change with the year, and a successor has its own title. */
const mayKeep = (row: CardRow) =>
  row.trust === null && row.superseded_by === null && writtenCharacters(row) <= MAX_KEPT_LENGTH

/** Cached while the row is unchanged, so an answer must depend on nothing but the row. */
export function answerOf(row: CardRow, now: Date): CardAnswer {
  const key = row.card_id + row.whose
  const kept = KEPT_CARDS.get(key)
  if (kept && isSame(kept.row, row)) return kept.card
  const card = { ...presentCard(row, now), superseded_by: null }
  if (!mayKeep(row)) return card
  KEPT_CARDS.set(key, { row, card: keepAnswer(card) })
  return card
}

type Card = z.output<typeof CaseResponse>

const urlOf = (baseUrl: string, cardId: string) => `${baseUrl}/cards/${cardId}`

const PARTS = FIELDS_BY_PLACE.filter((field) => DEFINITION[field].part !== 'head')
const CHOICES = [...PARTS.filter((field) => DEFINITION[field].isChoice), 'evidences'] as const

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const thinContent = (card: Card): Record<string, unknown> => ({
  ...pick(card, PARTS),
  evidences: card.evidences?.map(({ kind, content, meta }) => ({ kind, content, ...(meta ? { meta } : {}) })),
})

function creditOf({ publication, origin }: Card): { licence?: string; author?: string } {
  const given = publication?.licence ? publication : origin
  return given?.licence ? { licence: given.licence, author: given.author } : {}
}

export const thinCard = thinAnswer({
  input: z.object({
    part: z.int().min(1).max(1000).default(1).describe('Of a long card'),
    include: z.array(z.enum(CHOICES)).max(CHOICES.length).optional().describe('Only these fields'),
  }),
  output: z
    .object({
      card_id: AnswerId,
      title: z.string().optional(),
      card_type: answered.card_type,
      status: z.enum(['unpublished', 'published']),
      version: z.int(),
      provenance: Provenance,
      can_edit: z.boolean(),
      licence: z.string().optional(),
      author: z.string().optional(),
      trust: z.string().optional(),
      likely_outdated: z.literal(true).optional(),
      superseded_by: AnswerId.optional(),
      merged_from: AnswerId.optional(),
      review: Review.pick({ status: true, reasons: true }),
      evidence_count: z.int(),
      updated_at: Time,
      url: z.string(),
      part: z.int(),
      parts: z.int(),
      ...thinParts(PARTS),
      evidences: z.array(CutJson).optional(),
    })
    .describe('The card, with part, parts and url'),
  of: (card: Card, { part, include }, baseUrl) => {
    const said = Object.entries(thinContent(card)).filter(
      ([name, value]) => !isEmpty(value) && (include?.some((chosen) => chosen === name) ?? true),
    )
    const { content, ...which } = partOf({ title: card.title, ...Object.fromEntries(said) }, part)
    return {
      card_id: card.card_id,
      card_type: card.card_type,
      status: card.status,
      version: card.version,
      provenance: card.provenance,
      can_edit: card.can_edit,
      ...creditOf(card),
      ...(card.trust ? { trust: card.trust.summary } : {}),
      ...(card.likely_outdated ? { likely_outdated: true as const } : {}),
      ...(card.superseded_by ? { superseded_by: card.superseded_by.card_id } : {}),
      ...(card.merged_from ? { merged_from: card.merged_from } : {}),
      review: { status: card.review.status, reasons: card.review.reasons },
      evidence_count: card.evidence_count,
      updated_at: card.updated_at,
      url: urlOf(baseUrl, card.card_id),
      ...which,
      ...content,
    }
  },
})

const MAX_SIMILAR = 3
const SIMILAR_TITLE = 60

const ThinState = z.object({
  card_id: AnswerId,
  status: z.enum(['unpublished', 'published']),
  version: z.int(),
  review: Review.pick({ status: true }).extend({ reasons: z.array(z.string()).optional() }),
  similar: z.array(z.object({ card_id: AnswerId, title: z.string(), similarity: z.number() })).optional(),
  credits_earned: z.int(),
  url: z.string(),
})
const ThinWritten = z.object({
  ...ThinState.shape,
  changed: z.array(z.string()).optional(),
  warnings: z.array(Warning.pick({ field: true, kind: true })).optional(),
  hint: z.string().optional(),
})

const ThinRecorded = ThinWritten.extend({ readers: z.string() })

const stateOf = (card: Card, _input: object, baseUrl: string): z.input<typeof ThinWritten> => ({
  card_id: card.card_id,
  status: card.status,
  version: card.version,
  ...(card.changed ? { changed: card.changed } : {}),
  review: {
    status: card.review.status,
    // One rule may have many findings; get_card lists all of them.
    ...(card.review.reasons.length > 0
      ? { reasons: [...new Set(card.review.reasons.map(({ rule }) => rule))] }
      : {}),
  },
  ...(card.warnings?.length ? { warnings: card.warnings } : {}),
  ...(card.search_note ? { hint: card.search_note } : {}),
  ...(card.similar_cards?.length
    ? {
        similar: card.similar_cards.slice(0, MAX_SIMILAR).map((near) => ({
          ...near,
          title: cutText(near.title, SIMILAR_TITLE).text,
        })),
      }
    : {}),
  credits_earned: card.credits_earned ?? 0,
  url: urlOf(baseUrl, card.card_id),
})

/** Describes the fields of a second tool by reference, because a model lists both tools. */
const AS_WRITTEN = 'As record_card'
export const thinUpdate = thinAnswer({
  output: ThinWritten.describe(AS_WRITTEN),
  of: stateOf,
})

export const thinRecord = thinAnswer({
  output: ThinRecorded,
  of: (card: Card, input: object, baseUrl) => ({
    ...stateOf(card, input, baseUrl),
    readers: card.home_note ? `${card.readers.text}. ${card.home_note}` : card.readers.text,
  }),
})

/** Tells an agent that sharing in a personal workspace succeeds but reaches nobody. */
const REACHES_NOBODY =
  'Nobody else is in this personal workspace. For a team: kvault share --workspace, or the web app'

export const thinShare = thinAnswer({
  output: ThinState.extend({ readers: z.string() }).describe(AS_WRITTEN),
  of: (card: Card, input: object, baseUrl) => ({
    ...stateOf(card, input, baseUrl),
    readers: card.home.kind === 'personal' ? `${card.readers.text}. ${REACHES_NOBODY}` : card.readers.text,
  }),
})

export const thinState = thinAnswer({
  output: ThinState.describe(AS_WRITTEN),
  of: stateOf,
})
