import { capability } from '../../core/capability.ts'
import { contentHash } from '../../core/content-hash.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { holdLockOf } from '../../db/locks.ts'
import type { WorkspacesTable } from '../../db/tables/workspaces.ts'
import { audit } from '../audit/audit.ts'
import { editableAtAnyVersion } from '../cards/access.ts'
import { changeOrigin } from '../cards/change-origin.ts'
import { secretsInContent } from '../cards/content.ts'
import { dangerInCard } from '../cards/danger.ts'
import { SIMILAR } from '../cards/duplicate.ts'
import { type CardWords, wordsOfCard } from '../cards/indexing/document.ts'
import { originKey, type StoredOrigin, storedOrigin } from '../cards/origin.ts'
import { record } from '../cards/record.ts'
import { type Reviewed, review, reviewColumns } from '../cards/review.ts'
import { MAX_BODY_BYTES } from '../cards/schemas.ts'
import { cardsLike } from '../cards/similar.ts'
import { answering } from '../cards/successor.ts'
import { edit } from '../cards/update.ts'
import { requireRole } from '../permissions/permission.ts'
import { FIXED_POLICY } from '../review/policy.ts'
import { requireMayPublish } from '../sanctions/sanctions.ts'
import { findPulled, findSameContent } from './import.store.ts'
import {
  LibraryImport,
  LibraryImportResponse,
  type SnapshotCardInput,
  type TakenAnswer,
} from './import-schemas.ts'

type Target = { workspaceId: string; server: string; isDry: boolean }
type Fate = Omit<TakenAnswer, 'origin_card_id' | 'title'>

/** Nobody here wrote the pulled text, so it never goes directly to a workspace that strangers can read. */
async function privateTarget(ctx: UserCtx, workspaceId: string): Promise<WorkspacesTable> {
  const { workspace } = await requireRole(ctx, workspaceId, 'editor')
  if (workspace.visibility !== 'private')
    throw invalid('workspace_id', 'Pull into a private workspace, read the cards there, then publish them')
  return workspace
}

const originOf = (ctx: UserCtx, { server }: Target, given: SnapshotCardInput): StoredOrigin => ({
  server,
  card_id: given.card_id,
  version: given.version,
  author: given.author,
  licence: given.licence,
  content_hash: given.content_hash,
  published_at: given.published_at,
  ...(given.origin ? { first_server: given.origin.server } : {}),
  pulled_at: ctx.now().toISOString(),
})

/** The review of this server decides again, by the rules for the library and those of the workspace. */
const keptOut = (verdict: Reviewed): Fate | undefined =>
  verdict.passed ? undefined : { outcome: 'blocked', reasons: verdict.reasons }

async function renew(
  ctx: UserCtx,
  target: Target,
  given: SnapshotCardInput,
  cardId: string,
  words: CardWords | undefined,
): Promise<Fate> {
  const row = await editableAtAnyVersion(ctx, cardId)
  const before = storedOrigin(row)
  if (before !== null && before.version >= given.version) return { outcome: 'unchanged', card_id: cardId }
  if (row.content_hash !== before?.content_hash) return { outcome: 'edited_here', card_id: cardId }
  const { row: answer, mergedFrom } = await answering(ctx, row)
  if (mergedFrom !== undefined) return { outcome: 'duplicate', card_id: answer.card_id }
  const refusal = keptOut(await review(ctx, row, given.card, row.evidence_count))
  if (refusal) return { ...refusal, card_id: cardId }
  if (target.isDry) return { outcome: 'updated', card_id: cardId }
  await edit(ctx, row, given.card, [], words)
  await changeOrigin(ctx, cardId, originOf(ctx, target, given))
  return { outcome: 'updated', card_id: cardId }
}

async function nearTo(ctx: UserCtx, given: SnapshotCardInput): Promise<Pick<Fate, 'similar'>> {
  const near = (await cardsLike(ctx, given.card)).filter(({ similarity }) => similarity >= SIMILAR)
  if (near.length === 0) return {}
  return { similar: near.map(({ card_id, title, similarity }) => ({ card_id, title, similarity })) }
}

async function make(
  ctx: UserCtx,
  target: Target,
  given: SnapshotCardInput,
  words: CardWords | undefined,
): Promise<Fate> {
  const { workspaceId } = target
  // Asked again for each card: the workspace may have been opened meanwhile.
  const workspace = await privateTarget(ctx, workspaceId)
  // In a team the members can read it. In the personal workspace there is nobody to share it with.
  const isShared = workspace.type !== 'personal'
  if (isShared) await requireMayPublish(ctx, workspace)
  const none = { card_id: newId(), workspace_id: workspaceId, cites: null, cites_are_written: 0 }
  const verdict = await review(ctx, none, given.card, 0)
  const refusal = keptOut(verdict)
  if (refusal) return refusal
  const near = await nearTo(ctx, given)
  if (target.isDry) return { outcome: 'created', ...near }
  const now = ctx.now().toISOString()
  const { scope_notes, ...content } = given.card
  const card = await record(
    ctx,
    { ...content, workspace_id: workspaceId, evidences: [] },
    {
      scope_notes,
      origin: toJson(originOf(ctx, target, given)),
      origin_key: originKey(target.server, given.card_id),
      content_hash: given.content_hash,
      ...reviewColumns(verdict, now),
      ...(isShared ? { status: 'published' as const, published_at: now, version_published_at: now } : {}),
    },
    words,
  )
  return { outcome: 'created', card_id: card.card_id, ...near }
}

/** Each card has its own transaction, so that a failure does not affect the others. */
async function take(ctx: UserCtx, target: Target, given: SnapshotCardInput): Promise<Fate> {
  if (contentHash(given.card) !== given.content_hash) return { outcome: 'damaged' }
  const { baseUrl } = ctx.config
  if (target.server === baseUrl || given.origin?.server === baseUrl) return { outcome: 'own' }
  const { workspaceId, isDry } = target
  const words = isDry ? undefined : await wordsOfCard({ ...given.card, evidence_texts: [] })
  return inTx(ctx, async (ctx) => {
    await holdLockOf(ctx.db, ctx.database.engine, 'pulls', workspaceId)
    const known = await findPulled(ctx.db, workspaceId, originKey(target.server, given.card_id))
    if (known?.isGone) return { outcome: 'deleted_here' }
    // A newer text is a new card here: what was published is not replaced by what nobody has read.
    if (known?.isPublishedElsewhere && known.version >= given.version) return { outcome: 'duplicate' }
    if (known && !known.isPublishedElsewhere) return renew(ctx, target, given, known.card_id, words)
    const same = await findSameContent(ctx.db, workspaceId, given.content_hash)
    if (same === undefined) return make(ctx, target, given, words)
    return same.isHidden ? { outcome: 'deleted_here' } : { outcome: 'duplicate', card_id: same.card_id }
  })
}

const countOf = (items: readonly TakenAnswer[], outcome: TakenAnswer['outcome']): number =>
  items.filter((item) => item.outcome === outcome).length

async function note(
  ctx: UserCtx,
  { workspaceId, server }: Target,
  items: readonly TakenAnswer[],
): Promise<void> {
  const [created, updated] = [countOf(items, 'created'), countOf(items, 'updated')]
  if (created + updated === 0) return
  await inTx(ctx, (ctx) =>
    audit(ctx, {
      action: 'library.pulled',
      subject: { type: 'workspace', id: workspaceId },
      workspaceId,
      details: { server, created, updated },
    }),
  )
}

export const importLibrary = capability({
  name: 'library.import',
  summary: "Take cards of another server's snapshot into a workspace",
  description:
    'For `kvault library pull`, which has verified the snapshot. Each card is hashed and reviewed again; a card that the review refuses is reported and not imported. A card of the same origin is updated when its version is newer and nobody here has edited it. A card with the same content is skipped. Cards that are nearly the same are named. Author, licence and origin are kept with the card. Sending the same cards again changes nothing.',
  scopes: ['record', 'case:write'],
  rest: ['POST /api/v1/library/import'],
  // Each card keeps its own transaction.
  idempotency: 'answer',
  input: LibraryImport,
  output: LibraryImportResponse,
  errors: [404, 413],
  maxBodyBytes: MAX_BODY_BYTES,
  prepare: async ({ work }, { cards }) => {
    for (const { card } of cards) {
      await secretsInContent(work, card)
      await dangerInCard(work, card, [], FIXED_POLICY)
    }
  },
  run: async (ctx, { workspace_id, server, dry_run, cards }) => {
    await privateTarget(ctx, workspace_id)
    const target: Target = { workspaceId: workspace_id, server, isDry: dry_run }
    const items: TakenAnswer[] = []
    for (const given of cards)
      items.push({
        origin_card_id: given.card_id,
        title: given.card.title,
        ...(await take(ctx, target, given)),
      })
    if (!dry_run) await note(ctx, target, items)
    return { items }
  },
})
