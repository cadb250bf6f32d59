import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { LicenceId } from '../../core/licence-id.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { editableAtAnyVersion } from './access.ts'
import { type CardContent, contentOf } from './content.ts'
import { holdCard } from './hold-card.ts'
import { reviewAhead } from './review.ts'
import { CardId, CaseContent, CaseResponse } from './schemas.ts'
import type { CardRow } from './select.ts'
import { editableUnmerged } from './unmerged-card.ts'
import { edit, wordsAfter } from './update.ts'
import { findVersions, nameOf, type VersionRow } from './versions.store.ts'

const versionFields = {
  version: z.int(),
  current: z.boolean(),
  changed_by: AnswerId,
  changed_by_name: z.string(),
  changed_at: Time,
  changed_fields: z.array(z.string()).describe('What differs from the version before; empty for the first'),
  content_hash: z.string().nullable().describe('Of a version that was published'),
  licence: LicenceId.nullable(),
  published_at: Time.nullable(),
}

const CaseVersion = z.object(versionFields).meta({ id: 'CaseVersion' })
const CaseHistoryResponse = pageOf(CaseVersion).meta({ id: 'CaseHistoryResponse' })

const CaseVersionResponse = z
  .object({ card_id: AnswerId, case_id: AnswerId, ...versionFields, content: CaseContent })
  .meta({ id: 'CaseVersionResponse' })

const VersionNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

const present = (row: VersionRow, current: number) => ({
  version: row.version,
  current: row.version === current,
  changed_by: row.edited_by,
  changed_by_name: row.edited_by_name,
  changed_at: row.edited_at,
  changed_fields: fromJson<string[]>(row.edited_fields),
  content_hash: row.content_hash,
  licence: row.licence,
  published_at: row.published_at,
})

/** The present version has no row of its own: it is the card. */
const currentVersion = async (ctx: UserCtx, card: CardRow): Promise<VersionRow> => ({
  version: card.version,
  edited_by: card.edited_by,
  edited_by_name: await nameOf(ctx.db, card.edited_by),
  edited_at: card.edited_at,
  edited_fields: card.edited_fields,
  content_hash: card.version_published_at === null ? null : card.content_hash,
  licence: card.licence,
  published_at: card.version_published_at,
  content: toJson(contentOf(card)),
})

/** The owner reads all versions; others read those since the card came into their workspace. */
const firstSeen = (ctx: UserCtx, card: CardRow): number =>
  card.owner_id === ctx.viewer.userId ? 1 : card.seen_from_version

/** Versions `from` down to `to`, newest first. */
async function versionsOf(ctx: UserCtx, card: CardRow, from: number, to: number): Promise<VersionRow[]> {
  const former = await findVersions(ctx.db, card.card_id, { from: Math.min(from, card.version - 1), to })
  return from >= card.version && to <= card.version ? [await currentVersion(ctx, card), ...former] : former
}

async function oneVersion(ctx: UserCtx, card: CardRow, version: number): Promise<VersionRow> {
  const first = firstSeen(ctx, card)
  const [row] = version < first ? [] : await versionsOf(ctx, card, version, version)
  if (!row || row.version !== version)
    throw notFound('Version', `You may read versions ${first} to ${card.version} of this card.`)
  return row
}

const WHO =
  'For people who may edit the card, starting with the version in which it came into their workspace; its owner reads all. A former version may contain what was taken out before publishing.'

/** What a refusal says that the caller may not do. */
const READ = 'read the history of'

export const cardHistory = capability({
  name: 'cards.history',
  summary: 'The versions of a card: who changed what and when',
  description: `Newest first, the present version included. ${WHO}`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/history', 'GET /api/v1/cases/{case_id}/history'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend(Page),
  output: CaseHistoryResponse,
  errors: [404],
  run: async (ctx, { card_id, page, page_size }) => {
    const card = await editableAtAnyVersion(ctx, card_id, READ)
    const from = card.version - (page - 1) * page_size
    const first = firstSeen(ctx, card)
    const rows = from < first ? [] : await versionsOf(ctx, card, from, Math.max(first, from - page_size + 1))
    const total = card.version - first + 1
    return { items: rows.map((row) => present(row, card.version)), total, page, page_size }
  },
})

export const cardVersion = capability({
  name: 'cards.version',
  summary: 'One version of a card, whole',
  description: WHO,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/history/{version}', 'GET /api/v1/cases/{case_id}/history/{version}'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({ version: VersionNumber }),
  output: CaseVersionResponse,
  errors: [404],
  run: async (ctx, { card_id, version }) => {
    const card = await editableAtAnyVersion(ctx, card_id, READ)
    const row = await oneVersion(ctx, card, version)
    return {
      card_id,
      case_id: card_id,
      ...present(row, card.version),
      content: fromJson<CardContent>(row.content),
    }
  },
})

export const restoreCard = capability({
  name: 'cards.restore',
  summary: 'Make a former version the present one',
  description:
    'This is an update like any other: it makes a new version, and the one it replaces is kept. Evidence stays as it is.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards/{card_id}/restore', 'POST /api/v1/cases/{case_id}/restore'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({ version: VersionNumber }),
  output: CaseResponse,
  errors: [400, 404, 409, 412],
  prepare: async (ctx, { card_id, version }) => {
    await reviewAhead(ctx, card_id)
    const card = await editableUnmerged(ctx, card_id)
    const { content } = await oneVersion(ctx, card, version)
    return wordsAfter(ctx, card, fromJson<CardContent>(content))
  },
  run: (ctx, { card_id, version }, words) =>
    inTx(
      ctx,
      async (ctx) => {
        await holdCard(ctx, card_id)
        const card = await editableUnmerged(ctx, card_id)
        const { content } = await oneVersion(ctx, card, version)
        return edit(ctx, card, fromJson<CardContent>(content), [], words)
      },
      SELF_GUARDED,
    ),
})
