import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { AnswerId, Id, LicenceId } from '../../core/schemas.ts'
import { toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { acquireLockOf } from '../../db/locks.ts'
import type { WorkspacesTable } from '../../db/schema.ts'
import { byBytes } from '../../db/sql-values.ts'
import { FIXED_POLICY } from '../../review/find-danger.ts'
import { dangerInCard, secretsInContent } from '../../shared/card-checks.ts'
import { contentHash } from '../../shared/library-snapshot.ts'
import { SIMILAR } from '../../text/similar.ts'
import { audit } from '../audit/index.ts'
import {
  answering,
  type CardWords,
  cardsLike,
  changeOrigin,
  edit,
  editableAtAnyVersion,
  given,
  MAX_BODY_BYTES,
  mayRead,
  originKey,
  presentOrigin,
  type Reviewed,
  ReviewReason,
  record,
  review,
  reviewColumns,
  type StoredOrigin,
  storedOrigin,
  wordsOfCard,
} from '../cards/index.ts'
import { requireMayPublish, requireRole } from '../permissions/index.ts'

type Pulled = { card_id: string; isGone: boolean; isPublishedElsewhere: boolean; version: number }

async function findPulled(db: Db, workspaceId: string, originKey: string): Promise<Pulled | undefined> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'workspace_id', 'origin', 'deleted_at', 'hidden_at'])
    .where('origin_key', '=', originKey)
    .where((eb) => eb.or([eb('workspace_id', '=', workspaceId), eb('origin_workspace_id', '=', workspaceId)]))
    .execute()
  const found = rows.map((row) => ({
    card_id: row.card_id,
    isGone: row.deleted_at !== null || row.hidden_at !== null,
    isPublishedElsewhere: row.workspace_id !== workspaceId,
    version: storedOrigin(row)?.version ?? 0,
  }))
  const rank = (card: Pulled) => (card.isPublishedElsewhere ? 2 : 0) + (card.isGone ? 1 : 0)
  return found.sort((a, b) => rank(a) - rank(b) || b.version - a.version)[0]
}

/** Finds a card with the same content. A hidden card blocks the import, but is not named. */
async function findSameContent(
  db: Db,
  workspaceId: string,
  hash: string,
): Promise<{ card_id: string; isHidden: boolean } | undefined> {
  const row = await db
    .selectFrom('cards')
    .select(['card_id', 'hidden_at'])
    .where('workspace_id', '=', workspaceId)
    .where('content_hash', '=', hash)
    .where('deleted_at', 'is', null)
    .orderBy('hidden_at', (order) => order.asc().nullsFirst())
    .executeTakeFirst()
  return row && { card_id: row.card_id, isHidden: row.hidden_at !== null }
}

type Page = { viewerId: string; workspaceId: string; server: string; after: string; limit: number }

/** The key begins with the server and a space; `!` follows the space, so it ends the range. */
function listPulled(db: Db, { viewerId, workspaceId, server, after, limit }: Page) {
  const key = byBytes(db, 'origin_key')
  return db
    .selectFrom('cards')
    .select(['card_id', 'title', 'origin', 'content_hash', 'evidence_count', 'version'])
    .where('workspace_id', '=', workspaceId)
    .where(key, '>', `${server} ${after}`)
    .where(key, '<', `${server}!`)
    .where(mayRead(viewerId))
    .orderBy(key)
    .limit(limit)
    .execute()
}

const MAX_CARDS = 50

const Hash = z
  .string()
  .length(64)
  .regex(/^[0-9a-f]+$/, 'Input should be a SHA-256 in lower-case hexadecimal')

const ServerUrl = z
  .url({ protocol: /^https?$/, error: 'Input should be an http(s) URL' })
  .max(300)
  .regex(/^[^?#\s]*[^/?#\s]$/, 'Input should end without a slash, a query or a fragment')
  .meta({ format: 'uri' })

const SnapshotCard = z
  .object({
    card_id: Id,
    version: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    content_hash: Hash,
    author: z.string().trim().min(1).max(200),
    licence: LicenceId,
    published_at: z.iso.datetime().max(40),
    origin: z
      .object({ server: ServerUrl })
      .optional()
      .describe('Where the card was written, if that server had pulled it itself'),
    card: z.object(given),
  })
  .meta({ id: 'SnapshotCard' })

type SnapshotCardInput = z.output<typeof SnapshotCard>

const LibraryImport = z
  .object({
    workspace_id: Id.describe('A private workspace in which you are editor or admin'),
    server: ServerUrl.describe('The server that the snapshot was read from'),
    dry_run: z.boolean().default(false).describe('Report what would happen to each card, and write nothing'),
    cards: z.array(SnapshotCard).min(1).max(MAX_CARDS),
  })
  .meta({ id: 'LibraryImport' })

const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'duplicate',
  'edited_here',
  'deleted_here',
  'own',
  'blocked',
  'damaged',
] as const

const Taken = z
  .object({
    origin_card_id: AnswerId,
    title: z.string(),
    outcome: z.enum(OUTCOMES),
    card_id: AnswerId.optional().describe('The card here'),
    reasons: z.array(ReviewReason).optional().describe('Why the review refuses the card'),
    similar: z
      .array(z.object({ card_id: AnswerId, title: z.string(), similarity: z.number() }))
      .optional()
      .describe('Cards here that say nearly the same'),
  })
  .meta({ id: 'TakenCard' })

type TakenAnswer = z.input<typeof Taken>

const LibraryImportResponse = z.object({ items: z.array(Taken) }).meta({ id: 'LibraryImportResponse' })

type Target = { workspaceId: string; server: string; isDry: boolean }
type Fate = Omit<TakenAnswer, 'origin_card_id' | 'title'>

/** Returns the target, which strangers must not be able to read, because nobody here wrote the pulled text. */
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
  // Checked again for each card, because the workspace may have been opened meanwhile.
  const workspace = await privateTarget(ctx, workspaceId)
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
  if (isShared)
    await emit(ctx, 'card.published', {
      cardId: card.card_id,
      way: 'pulled',
      workspaceId,
      fromWorkspaceId: workspaceId,
      licence: given.licence,
      isJudged: false,
    })
  return { outcome: 'created', card_id: card.card_id, ...near }
}

/** Imports a card in a transaction of its own, so that a failure does not affect the others. */
async function take(ctx: UserCtx, target: Target, given: SnapshotCardInput): Promise<Fate> {
  if (contentHash(given.card) !== given.content_hash) return { outcome: 'damaged' }
  const { baseUrl } = ctx.config
  if (target.server === baseUrl || given.origin?.server === baseUrl) return { outcome: 'own' }
  const { workspaceId, isDry } = target
  const words = isDry ? undefined : await wordsOfCard({ ...given.card, evidence_texts: [] })
  return inTx(ctx, async (ctx) => {
    await acquireLockOf(ctx.db, ctx.database.engine, 'pulls', workspaceId)
    const known = await findPulled(ctx.db, workspaceId, originKey(target.server, given.card_id))
    if (known?.isGone) return { outcome: 'deleted_here' }
    // A newer text becomes a new card: an unread text must not replace a published one.
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

const PulledCards = z
  .object({
    items: z.array(
      z.object({
        card_id: AnswerId,
        origin_card_id: AnswerId,
        version: z.int().describe('Of the card there, as it was pulled'),
        title: z.string(),
        card_version: z.int().describe('Of the card here, for If-Match'),
        changed_here: z.boolean().describe('Somebody here has edited it, or added evidence, since'),
      }),
    ),
  })
  .meta({ id: 'PulledCards' })

export const listPulledCards = capability({
  name: 'library.pulled',
  summary: 'The cards of a workspace that were pulled from one server',
  description:
    'Sorted by their ids on that server. `after` is the last origin_card_id of the previous page. For editors and admins of the workspace.',
  scopes: ['search'],
  rest: ['GET /api/v1/library/pulled'],
  input: z.object({
    workspace_id: Id,
    server: ServerUrl,
    after: Id.optional(),
    limit: z.int().min(1).max(500).default(500),
  }),
  output: PulledCards,
  errors: [404],
  run: async (ctx, { workspace_id, server, after = '', limit }) => {
    await requireRole(ctx, workspace_id, 'editor')
    const { userId: viewerId } = ctx.viewer
    const rows = await listPulled(ctx.db, { viewerId, workspaceId: workspace_id, server, after, limit })
    return {
      items: rows.flatMap((row) => {
        const from = presentOrigin(row)
        if (!from) return []
        const { card_id, title, version: card_version } = row
        // A pulled card comes without evidence.
        const changed_here = from.changed_here || row.evidence_count > 0
        return [
          { card_id, origin_card_id: from.card_id, version: from.version, title, card_version, changed_here },
        ]
      }),
    }
  },
})
