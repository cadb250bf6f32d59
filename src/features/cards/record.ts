import type { Insertable } from 'kysely'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { toJson, toJsonOrNull } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { UsersTable } from '../../db/tables/accounts.ts'
import type { CardsTable } from '../../db/tables/cards.ts'
import { readCites } from '../cites/read-cites.ts'
import { homeOfCredential } from '../identity/users/key-home.ts'
import { requireUser } from '../identity/users/users.ts'
import { hasRole, requireRole, roleIn } from '../permissions/permission.ts'
import { chargeText, textBytes } from '../storage/text-usage.ts'
import { appendEvidences, insertCard } from './cards.store.ts'
import { columnsOf, secretsInContent, secretsInEvidences, warningsFor } from './content.ts'
import { SEARCHED_PIECES, searchedParts } from './evidence-texts.ts'
import { attachNamedImages } from './images/attach.ts'
import { type CardWords, wordsOfCard } from './indexing/document.ts'
import { savedNew } from './saved.ts'
import {
  type CardAnswer,
  CaseCreate,
  type CaseCreateInput,
  CaseResponse,
  MAX_BODY_BYTES,
  RecordTool,
} from './schemas.ts'
import { thinRecord } from './thin.ts'

const HOME_LOST =
  'You can no longer write in the default workspace of this API key, so the card is in your personal workspace.'

type Target = { workspaceId: string; note?: string }

/**
 * A card that names no workspace goes where its API key says, else to the personal one. Any other needs the role of
 * an editor.
 */
async function targetOf(
  ctx: UserCtx,
  user: UsersTable,
  workspaceId: string | null | undefined,
): Promise<Target> {
  if (workspaceId != null)
    return { workspaceId: (await requireRole(ctx, workspaceId, 'editor')).workspace.workspace_id }
  const home = await homeOfCredential(ctx)
  if (home !== null && hasRole(await roleIn(ctx, home), 'editor')) return { workspaceId: home }
  return { workspaceId: user.personal_workspace_id, ...(home === null ? {} : { note: HOME_LOST }) }
}

/** What a card was made from, unless a person wrote it from scratch, and what is known about it already. */
export type CardOrigin = { source_event_id?: string; sample?: string } & Partial<
  Pick<
    Insertable<CardsTable>,
    | 'scope_notes'
    | 'origin'
    | 'origin_key'
    | 'content_hash'
    | 'version_published_at'
    | 'status'
    | 'published_at'
    | 'review_status'
    | 'review_score'
    | 'review_reasons'
    | 'reviewed_at'
  >
>

const bytesOfEvidences = (evidences: CaseCreateInput['evidences']): number =>
  evidences.reduce(
    (sum, { content, meta }) => sum + textBytes('card_evidences', { content, meta: toJsonOrNull(meta) }),
    0,
  )

/**
 * Looks for secrets in a new card and counts its words, in pieces and before the transaction that writes it. Returns the
 * words for `record`.
 */
export async function analyseNewCard(
  { work }: UserCtx,
  { evidences, ...content }: CaseCreateInput,
  scope_notes: string | null = null,
): Promise<CardWords> {
  await secretsInContent(work, { ...content, scope_notes })
  await secretsInEvidences(work, evidences)
  const searched = evidences.slice(0, SEARCHED_PIECES).map((evidence) => evidence.content)
  return wordsOfCard({ ...content, scope_notes, evidence_texts: searchedParts(searched) }, work)
}

/** Writes the card in the transaction of the caller. `words` are those of `analyseNewCard`. */
export async function record(
  ctx: UserCtx,
  input: CaseCreateInput,
  origin: CardOrigin = {},
  words?: CardWords,
): Promise<CardAnswer> {
  const { workspace_id, evidences, ...given } = input
  const user = await requireUser(ctx, ctx.viewer.userId)
  const { workspaceId, note } = await targetOf(ctx, user, workspace_id)
  const content = { ...given, scope_notes: origin.scope_notes ?? null }
  const card_id = newId()
  const owner = user.user_id
  const now = ctx.now().toISOString()
  const row: Insertable<CardsTable> = {
    card_id,
    owner_id: owner,
    workspace_id: workspaceId,
    origin_workspace_id: workspaceId,
    status: 'unpublished',
    version: 1,
    ...columnsOf(content),
    cites: toJson(readCites(content)),
    evidence_count: evidences.length,
    ...origin,
    created_at: now,
    updated_at: now,
    edited_at: now,
    edited_by: owner,
    edited_fields: toJson([]),
    recorded_with: ctx.viewer.credential.kind,
  }
  await chargeText(ctx, textBytes('cards', row) + bytesOfEvidences(evidences))
  const stored = await insertCard(ctx.db, row, content.tags)
  await attachNamedImages(ctx, card_id, content)
  const inEvidence = await appendEvidences(ctx.db, evidences, {
    cardId: card_id,
    present: 0,
    version: 1,
    addedBy: owner,
    now,
    work: ctx.work,
  })
  return {
    ...(await savedNew(ctx, stored, user.display_name, words)),
    warnings: warningsFor([...(await secretsInContent(ctx.work, content)), ...inEvidence]),
    credits_earned: 0,
    ...(note ? { home_note: note } : {}),
  }
}

export const recordCard = capability({
  name: 'cards.record',
  summary: 'Record a new card; it stays unpublished',
  description:
    'The card is private to its workspace until it is shared or published. Without workspace_id it goes to the default workspace of the API key, if it has one, else to the personal workspace; another workspace needs the role editor or admin.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/cards', 'POST /api/v1/cases'],
  status: 201,
  tool: {
    name: 'record_card',
    description: 'Save a solved problem, decision or how-to as a private card.',
    input: RecordTool,
    thin: thinRecord,
  },
  input: CaseCreate,
  output: CaseResponse,
  errors: [404, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  prepare: analyseNewCard,
  // Agents record at the same time, and with turns one by one they would wait twice as long.
  run: (ctx, input, words) => inTx(ctx, (ctx) => record(ctx, input, {}, words), { twoAtOnce: true }),
})
