import { MAX_PAGE_BYTES } from '../../core/page-size.ts'
import { markOf, type ProvenanceAnswer, withMark } from '../../core/provenance.ts'
import { fromJson, fromJsonOrNull } from '../../db/columns.ts'
import { beginningOf } from '../../text/cut-text.ts'
import { containsInstructions } from '../review/find-danger.ts'
import { isDistrusted, trustCounts } from '../trust/stored-trust.ts'
import { trackOf } from './card-type.ts'
import type { EvidenceRow } from './cards.store.ts'
import { contentOf } from './content.ts'
import { type HomeAnswer, presentHome } from './home.ts'
import type { ListedRow } from './list.store.ts'
import { hostOfOrigin, presentOrigin } from './origin.ts'
import { presentTrust } from './present-trust.ts'
import { authorOf, presentPublication } from './publication.ts'
import type { ReviewReason } from './review-rules.ts'
import type { CardAnswer, ListedCard } from './schemas.ts'
import { type CardRow, canEdit, SHORT_TEXT } from './select.ts'
import { type SpokenRow, speaksToAgents } from './spoken.ts'

type Counts = Pick<CardRow, 'feedback_useful' | 'feedback_not_applicable' | 'feedback_outdated'>

export const feedbackOf = (row: Counts) => ({
  useful: row.feedback_useful,
  not_applicable: row.feedback_not_applicable,
  outdated: row.feedback_outdated,
})

/** Whether verdicts and feedback speak against the card. Every answer that shows the card says so. */
export const isLikelyOutdated = (row: Pick<CardRow, 'trust'>): boolean => isDistrusted(trustCounts(row.trust))

/** Who wrote the text. It also marks text of others that speaks to agents, even if only a part of the card is shown. */
export const provenanceOf = (
  row: Pick<CardRow, 'whose' | 'workspace_id' | 'review_status' | 'origin'> & SpokenRow,
): ProvenanceAnswer => ({
  owner: row.whose,
  workspace: row.workspace_id,
  reviewed: row.review_status === 'passed',
  ...(row.origin === null ? {} : { origin: hostOfOrigin(row) }),
  ...(row.whose === 'you' ? {} : markOf(speaksToAgents(row))),
})

/** To others a published card has no past: its origin would tell which authors share a private team, and opens an unlisted one. */
const originFor = (row: CardRow): string => (row.is_own === 1 ? row.origin_workspace_id : row.workspace_id)

type Named = Pick<CardRow, 'whose' | 'owner_name' | 'origin'>

/** The same for an answer that also shows names: strangers choose them, and they may speak to agents as texts do. */
export function withNames(
  provenance: ProvenanceAnswer,
  row: Named,
  { home }: Pick<HomeAnswer, 'home'>,
): ProvenanceAnswer {
  const ofPeople = row.whose === 'you' ? [] : [row.owner_name, authorOf(row)]
  const ofTeam = home.kind === 'workspace' && home.name !== null ? [home.name] : []
  return [...ofPeople, ...ofTeam].some(containsInstructions) ? withMark(provenance) : provenance
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
  created_at: row.created_at,
  updated_at: row.updated_at,
  published_at: row.published_at,
  publication: presentPublication(row),
  ...(row.origin === null ? {} : { origin: presentOrigin(row) ?? undefined }),
})

const cut = (text: string): string => beginningOf(text, SHORT_TEXT)
const cutOrNull = (text: string | null): string | null => (text === null ? null : cut(text))

function shortened(card: CardAnswer): ListedCard {
  return {
    ...card,
    title: cut(card.title),
    symptom: cut(card.symptom),
    fix_summary: cut(card.fix_summary),
    root_cause: cutOrNull(card.root_cause),
    scope_notes: cutOrNull(card.scope_notes),
    card_payload: null,
    body: null,
    steps: null,
    truncated: true,
  }
}

/** JSON writes a control character with six characters. */
const LONGEST_ESCAPE = 6
const HEAD_BYTES = 8192

const bytesOf = (card: ListedCard): number => Buffer.byteLength(JSON.stringify(card))

/** Stored text can be several times as long once it is written as JSON, so the page is measured as it is sent. */
export function presentPage(rows: readonly ListedRow[], now: Date): ListedCard[] {
  let left = MAX_PAGE_BYTES - MAX_PAGE_BYTES / 10
  return rows.map(({ row, wholeBytes }): ListedCard => {
    const card = presentCard(row, now)
    if (wholeBytes === null) return shortened(card)
    const atMost = LONGEST_ESCAPE * wholeBytes + HEAD_BYTES
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
