/** Cards as moderators see and change them. `features/moderation` decides who may moderate what. */
import type { Selectable } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { fromJson } from '../../db/columns.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { roleIn } from '../permissions/permission.ts'
import { FIXED_POLICY } from '../review/policy.ts'
import { type EvidenceRow, reviewedEvidences, updateCardRow, withReadMeta } from './cards.store.ts'
import { type CardContent, contentOf, writtenCites } from './content.ts'
import { contributorFor } from './contributor.ts'
import { dangerInCard, dangerReason } from './danger.ts'
import { refilterCards } from './indexing/index-card.ts'
import { presentEvidence } from './present.ts'
import { markSuccession } from './succession-mark.ts'
import { findVersions } from './versions.store.ts'

export type ModeratedCard = Selectable<CardsTable>

/** Finds a card without checking who asks. Deleted cards are not found. */
export const findAnyCard = (ctx: Ctx, cardId: string): Promise<ModeratedCard | undefined> =>
  ctx.db
    .selectFrom('cards')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** The same, also one that was deleted and can be brought back. */
export const findCardOrDeleted = (ctx: Ctx, cardId: string): Promise<ModeratedCard | undefined> =>
  ctx.db.selectFrom('cards').selectAll().where('card_id', '=', cardId).executeTakeFirst()

export type VersionHead = { version: number; changed_at: string; changed_fields: string[] }

/** The versions from one number to another, newest first, and what the card said in the chosen one. */
export async function versionsForModerators(
  ctx: Ctx,
  card: ModeratedCard,
  { first, last, chosen }: { first: number; last: number; chosen: number },
): Promise<{ versions: VersionHead[]; content: CardContent | undefined }> {
  const former = await findVersions(ctx.db, card.card_id, {
    from: Math.min(last, card.version - 1),
    to: first,
  })
  const present = { version: card.version, edited_at: card.edited_at, edited_fields: card.edited_fields }
  const all = last >= card.version ? [present, ...former] : former
  const kept = former.find((row) => row.version === chosen)
  return {
    versions: all.map((row) => ({
      version: row.version,
      changed_at: row.edited_at,
      changed_fields: fromJson<string[]>(row.edited_fields),
    })),
    content: chosen === card.version ? contentOf(card) : kept && fromJson<CardContent>(kept.content),
  }
}

/** Moderators who are no members of its workspace read the names of contributors as little as strangers do. */
async function namedFor(ctx: UserCtx, card: ModeratedCard) {
  const viewer_role = (await roleIn(ctx, card.workspace_id)) ?? null
  return (row: EvidenceRow) => ({
    ...presentEvidence(row),
    added_by: contributorFor(ctx, { ...card, viewer_role }, { by: row.added_by, at: row.created_at }),
  })
}

/**
 * The evidence up to a version, the cites as they are now, since they have no versions, and what the fixed rules of the
 * review find in all of it.
 */
export async function lookedAt(ctx: UserCtx, card: ModeratedCard, version: number, content: CardContent) {
  const all = await reviewedEvidences(ctx.db, card.card_id)
  const evidences = all.filter((row) => row.added_in_version <= version)
  const cites = writtenCites(card)
  const danger = await dangerInCard(
    ctx.work,
    { ...content, cites },
    evidences.map(withReadMeta),
    FIXED_POLICY,
  )
  return { evidences: evidences.map(await namedFor(ctx, card)), cites, findings: danger.map(dangerReason) }
}

async function change(ctx: Ctx, card: ModeratedCard, columns: Partial<ModeratedCard>): Promise<void> {
  await updateCardRow(ctx.db, card.card_id, columns)
  await markSuccession(ctx.db, card.card_id)
  // Bringing it back indexes it.
  if (card.deleted_at !== null) return
  await refilterCards(ctx, [{ ...card, ...columns }])
  ctx.mustSee(card.owner_id)
}

export const hideCard = (ctx: Ctx, card: ModeratedCard): Promise<void> =>
  change(ctx, card, { hidden_at: card.hidden_at ?? ctx.now().toISOString() })

export const showCard = (ctx: Ctx, card: ModeratedCard): Promise<void> =>
  change(ctx, card, { hidden_at: null })

/** Moves the card back to the workspace that it came from. It still belongs to its owner and is hidden from everybody else. */
export const takeCardOut = (ctx: Ctx, card: ModeratedCard): Promise<void> => {
  const now = ctx.now().toISOString()
  return change(ctx, card, {
    hidden_at: card.hidden_at ?? now,
    status: 'unpublished',
    published_at: null,
    workspace_id: card.origin_workspace_id,
    updated_at: now,
  })
}
