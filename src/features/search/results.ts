import type { UserCtx } from '../../core/context.ts'
import type { Whose } from '../../core/provenance.ts'
import { fromJson } from '../../db/columns.ts'
import { explain } from '../../text/snippet.ts'
import { trackOf } from '../cards/card-type.ts'
import { contentOf } from '../cards/content.ts'
import { evidenceTexts } from '../cards/evidence-texts.ts'
import { matchesEnvironment, sameTag } from '../cards/indexing/filters.ts'
import { feedbackOf, isLikelyOutdated, provenanceOf } from '../cards/present.ts'
import type { Retrieved } from './retrieve.ts'
import type { SearchResultAnswer } from './schemas.ts'
import { listedIn, type SearchScope } from './scope.ts'

type Row = Awaited<ReturnType<typeof loadRows>>[number]

/** A hit with its card, read under the rule of who may find what. */
export type Loaded = { row: Row & { whose: Whose }; score: number; matched: string[]; snippet: string }

/** Picked by number before the rule is asked: a planner that begins with the rule walks over all cards of an owner. */
const loadRows = (ctx: UserCtx, scope: SearchScope, docNos: readonly number[]) =>
  ctx.db
    .with(
      (cte) => cte('picked').materialized(),
      (db) =>
        db
          .selectFrom('search_docs')
          .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
          .selectAll('cards')
          .select('search_docs.doc_no')
          .where('search_docs.doc_no', 'in', docNos),
    )
    .selectFrom('picked as cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .selectAll('cards')
    .select('users.display_name as owner_name')
    .where(listedIn(scope))
    .execute()

/** One's own unless somebody else wrote it last; otherwise as the scope says. */
function whoseIs(row: Row, { viewerId, scope }: SearchScope): Whose {
  if (row.owner_id !== viewerId) return scope === 'public' ? 'public' : 'team'
  return row.edited_by === viewerId ? 'you' : 'team'
}

/** The index finds by numbers made from names; here the names themselves are compared. */
const passes = (row: Row, { tags, environment, track }: SearchScope): boolean => {
  const has = fromJson<string[]>(row.tags)
  return (
    tags.every((tag) => has.some((other) => sameTag(tag, other))) &&
    matchesEnvironment(fromJson(row.environment), environment) &&
    (track === undefined || trackOf(row.card_type) === track)
  )
}

/**
 * The first `limit` hits that the viewer may see. What the index says is checked against the cards themselves: a card
 * that was hidden, moved or edited a moment ago is passed over, and the next hit moves up.
 */
export async function loadHits(
  ctx: UserCtx,
  scope: SearchScope,
  { hits, terms }: Retrieved,
  limit: number,
): Promise<Loaded[]> {
  const loaded: Loaded[] = []
  for (let from = 0; from < hits.length && loaded.length < limit; from += limit) {
    const some = hits.slice(from, from + limit)
    const rows = await loadRows(
      ctx,
      scope,
      some.map((hit) => hit.docNo),
    )
    const evidence = await evidenceTexts(ctx.db, rows)
    const byNumber = new Map(rows.map((row) => [row.doc_no, row]))
    for (const { docNo, score } of some) {
      const row = byNumber.get(docNo)
      if (!row || !passes(row, scope)) continue
      const shown = explain(row.title, [...textsToQuote(row), ...(evidence.get(row.card_id) ?? [])], terms)
      if (shown.matched.length > 0)
        loaded.push({ row: { ...row, whose: whoseIs(row, scope) }, score, ...shown })
    }
  }
  return loaded.slice(0, limit)
}

function textsToQuote(row: Row): string[] {
  const { symptom, fix_summary, root_cause, steps, body, tags, environment, scope_notes } = contentOf(row)
  return [
    symptom,
    fix_summary,
    root_cause ?? '',
    ...steps.flatMap(({ action, result }) => [action, result].map((text) => `${text ?? ''}`)),
    body ?? '',
    tags.join(', '),
    Object.entries(environment)
      .map((entry) => entry.join(' '))
      .join(', '),
    scope_notes ?? '',
  ]
}

const SHORTENED = 1000
const shorten = (text: string) => (text.length <= SHORTENED ? text : `${text.slice(0, SHORTENED)}…`)

export const presentHit = (
  { row, score, matched, snippet }: Loaded,
  hitReason: SearchResultAnswer['hit_reason'],
): SearchResultAnswer => ({
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
  owner_name: row.owner_name,
  provenance: provenanceOf(row),
  score: Math.round(score * 10_000) / 10_000,
  matched_terms: matched,
  snippet,
  hit_reason: hitReason,
  feedback: feedbackOf(row),
  likely_outdated: isLikelyOutdated(row),
  updated_at: row.updated_at,
})
