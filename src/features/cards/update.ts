import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { toJson } from '../../db/columns.ts'
import { readCites } from '../cites/read-cites.ts'
import { requireMayPublish } from '../sanctions/sanctions.ts'
import { rowsOfCard, writeText } from '../storage/text-usage.ts'
import { cardIfReadable } from './access.ts'
import { appendEvidences, replaceTags, updateCardRow } from './cards.store.ts'
import { type CardContent, changedFields, columnsOf, contentOf, warningsFor } from './content.ts'
import { evidenceTexts, SEARCHED_PIECES, searchedParts } from './evidence-texts.ts'
import { holdCard } from './hold-card.ts'
import { attachNamedImages } from './images/attach.ts'
import { type CardWords, wordsOfCard } from './indexing/document.ts'
import { presentCard } from './present.ts'
import { editedColumns } from './publication.ts'
import { refuseUnsafe, review, reviewAhead, reviewColumns } from './review.ts'
import { saved } from './saved.ts'
import {
  type CardAnswer,
  CaseResponse,
  CaseUpdate,
  type CaseUpdateInput,
  type EvidenceInput,
  MAX_BODY_BYTES,
  UpdateTool,
} from './schemas.ts'
import type { CardRow } from './select.ts'
import { markSuccession } from './succession-mark.ts'
import { thinUpdate } from './thin.ts'
import { editableUnmerged } from './unmerged-card.ts'
import { keepVersion } from './versions.store.ts'

/** Evidence is never removed, so it needs a limit. */
const MAX_EVIDENCES = 1000

function refuseTooMuchEvidence(row: CardRow, added: number): void {
  if (added > 0 && row.evidence_count + added > MAX_EVIDENCES)
    throw invalid(
      'evidences',
      `A card has at most ${MAX_EVIDENCES} pieces of evidence; this one has ${row.evidence_count}`,
      'too_long',
    )
}

/** The rows in which an edit writes text: the card, its former version, the new evidence. */
const rowsOfEdit = ({ card_id, version: former }: CardRow, version: number) => [
  rowsOfCard('cards', card_id),
  rowsOfCard('card_versions', card_id, 'version', former),
  rowsOfCard('card_evidences', card_id, 'added_in_version', version),
]

/**
 * Makes the next version of a card: keeps the former one, adds evidence, reviews again. An edit that changes
 * nothing makes no version. `words` are those of `wordsAfter`.
 */
export async function edit(
  ctx: UserCtx,
  row: CardRow,
  change: Partial<CardContent>,
  evidences: readonly EvidenceInput[] = [],
  words?: CardWords,
): Promise<CardAnswer> {
  const before = contentOf(row)
  const after = { ...before, ...change }
  const fields: string[] = changedFields(before, after)
  if (evidences.length > 0) fields.push('evidences')
  if (fields.length === 0) {
    const { secrets } = await review(ctx, row, before, row.evidence_count, before)
    return { ...presentCard(row, ctx.now()), changed: [], warnings: warningsFor(secrets) }
  }

  // Others read the change at once, so the person who makes it must be allowed to publish.
  if (row.status === 'published')
    await requireMayPublish(ctx, { workspace_id: row.workspace_id, visibility: row.workspace_visibility })
  const now = ctx.now().toISOString()
  const version = row.version + 1
  const evidence_count = row.evidence_count + evidences.length
  refuseTooMuchEvidence(row, evidences.length)
  // The card's own row comes first, so that concurrent writers wait for each other there and not at a unique index.
  await writeText(ctx, rowsOfEdit(row, version), async () => {
    await updateCardRow(ctx.db, row.card_id, {
      ...columnsOf(after),
      ...(row.cites_are_written === 1 ? {} : { cites: toJson(readCites(after)) }),
      ...editedColumns(row, after, fields[0] !== 'evidences', now),
      version,
      evidence_count,
      updated_at: now,
      edited_at: now,
      edited_by: ctx.viewer.userId,
      edited_fields: toJson(fields),
    })
    await keepVersion(ctx.db, row, before)
    await appendEvidences(ctx.db, evidences, {
      cardId: row.card_id,
      present: row.evidence_count,
      version,
      addedBy: ctx.viewer.userId,
      now,
      work: ctx.work,
    })
  })
  await attachNamedImages(ctx, row.card_id, after)
  const verdict = await review(ctx, row, after, evidence_count, before)
  if (row.status === 'published') refuseUnsafe(verdict)
  const reviewed = reviewColumns(verdict, now)
  await updateCardRow(ctx.db, row.card_id, reviewed)
  if (row.status === 'published' && reviewed.review_status !== row.review_status)
    await markSuccession(ctx.db, row.card_id)
  if (fields.includes('fix_summary') || fields.includes('steps'))
    await emit(ctx, 'card.fix_changed', { cardId: row.card_id, isJudged: row.trust !== null })
  if (fields.includes('tags')) await replaceTags(ctx.db, row.card_id, after.tags)
  return {
    ...(await saved(ctx, row.card_id, words)),
    changed: fields,
    warnings: warningsFor(verdict.secrets),
  }
}

/** Counts the words that a card will have, before the transaction that changes it. */
export async function wordsAfter(
  ctx: UserCtx,
  row: CardRow,
  change: Partial<CardContent>,
  evidences: readonly EvidenceInput[] = [],
): Promise<CardWords> {
  const present = (await evidenceTexts(ctx.db, [row])).get(row.card_id) ?? []
  const searched = evidences.slice(0, Math.max(0, SEARCHED_PIECES - row.evidence_count))
  const added = searchedParts(searched.map(({ content }) => content))
  return wordsOfCard({ ...contentOf(row), ...change, evidence_texts: [...present, ...added] }, ctx.work)
}

const given = (change: Partial<CardContent>): Partial<CardContent> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

export const updateCard = capability({
  name: 'cards.update',
  summary: 'Change a card, or add evidence to it',
  description:
    'Fields left out stay as they are; a given list or object replaces the whole of it. Evidence is only ever added to. Each update makes a new version and keeps the former one. With If-Match the update is refused (412) when the card is at another version. A card that was merged is not changed (409 merged_already, with into_card_id).',
  scopes: ['record', 'case:write'],
  rest: ['PATCH /api/v1/cards/{card_id}', 'PATCH /api/v1/cases/{case_id}'],
  aliases: { case_id: 'card_id' },
  tool: {
    name: 'update_card',
    description:
      'Change fields of a card, or add evidences; steps, tags and environment are replaced whole. Fields as in record_card.',
    input: UpdateTool,
    fieldsOf: 'record_card',
    thin: thinUpdate,
  },
  input: CaseUpdate,
  output: CaseResponse,
  errors: [400, 404, 409, 412, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  prepare: async (ctx, { card_id, evidences, ...change }: CaseUpdateInput) => {
    await reviewAhead(ctx, card_id, given(change), evidences)
    const row = await cardIfReadable(ctx, card_id)
    return row && wordsAfter(ctx, row, given(change), evidences)
  },
  run: (ctx, { card_id, evidences, ...change }: CaseUpdateInput, words) =>
    inTx(
      ctx,
      async (ctx) => {
        await holdCard(ctx, card_id)
        return edit(ctx, await editableUnmerged(ctx, card_id), given(change), evidences, words)
      },
      SELF_GUARDED,
    ),
})
