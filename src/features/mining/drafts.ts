import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import { dictionary } from '../../core/validation.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardDraftsTable, DraftStatus, RecoveriesTable } from '../../db/knowledge-schema.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { MORE_THAN_CONTROLS, requiredText } from '../../redaction/required-text.ts'
import { pick } from '../../shared/card-fields.ts'
import { DRAFTED_FIELDS, draftCard } from '../../shared/draft-text.ts'
import { type Candidate, cleanCandidate, LIMITS, signatureOf } from '../../shared/mining.ts'
import { NO_DRAFT_BY_RULES } from '../../shared/recoveries.ts'
import { DAY_MS, dayBegan } from '../../shared/time.ts'
import { SIMILAR } from '../../text/similar.ts'
import { answered, cardsLike, given, readableTitles, type Text, withoutDefaults } from '../cards/index.ts'
import { tell } from '../notices/index.ts'
import { findOwnAndTeam } from '../search/index.ts'
import { chargeText, freeText, storedTextBytes, textBytes } from '../storage/index.ts'

/** Returns false if the person already has a draft of this error, open or decided. */
async function insertDraft(db: Db, row: CardDraftsTable): Promise<boolean> {
  const made = await db
    .insertInto('card_drafts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'signature']).doNothing())
    .executeTakeFirst()
  return (made.numInsertedOrUpdatedRows ?? 0n) > 0n
}

async function draftsSince(db: Db, userId: string, since: string): Promise<number> {
  const { made } = await db
    .selectFrom('card_drafts')
    .select(({ fn }) => fn.countAll<number>().as('made'))
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return made
}

async function hasDraft(db: Db, userId: string, signature: string): Promise<boolean> {
  const row = await db
    .selectFrom('card_drafts')
    .select('draft_id')
    .where('user_id', '=', userId)
    .where('signature', '=', signature)
    .executeTakeFirst()
  return row !== undefined
}

type Shown = { userId: string; status: DraftStatus; now: string }

const shown = (db: Db, { userId, status, now }: Shown) =>
  db
    .selectFrom('card_drafts')
    .where('user_id', '=', userId)
    .where('status', '=', status)
    .where('expires_at', '>', now)

async function countDrafts(db: Db, asked: Shown): Promise<number> {
  const { total } = await shown(db, asked)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

const listDraftsOf = (
  db: Db,
  asked: Shown,
  page: { limit: number; offset: number },
): Promise<CardDraftsTable[]> =>
  shown(db, asked)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('draft_id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

const findDraft = (
  db: Db,
  { userId, draftId, now }: { userId: string; draftId: string; now: string },
): Promise<CardDraftsTable | undefined> =>
  db
    .selectFrom('card_drafts')
    .selectAll()
    .where('user_id', '=', userId)
    .where('draft_id', '=', draftId)
    .where('expires_at', '>', now)
    .executeTakeFirst()

type Decision = Pick<CardDraftsTable, 'status' | 'card_id' | 'decided_at'>

/** Returns false if another client has decided the draft first. */
export async function decideDraft(
  db: Db,
  { user_id, draft_id, status }: CardDraftsTable,
  decision: Decision,
): Promise<boolean> {
  const decided = await db
    .updateTable('card_drafts')
    .set(decision)
    .where('user_id', '=', user_id)
    .where('draft_id', '=', draft_id)
    .where('status', '=', status)
    .executeTakeFirst()
  return decided.numUpdatedRows > 0n
}

export async function deleteDraftsBefore(db: Db, now: string): Promise<void> {
  const gone = await db
    .deleteFrom('card_drafts')
    .where('expires_at', '<=', now)
    .returning(['user_id', storedTextBytes('card_drafts').as('bytes')])
    .execute()
  await freeText(db, gone)
}

export async function insertRecovery(db: Db, row: RecoveriesTable): Promise<void> {
  await db
    .insertInto('recoveries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'session_id', 'signature']).doNothing())
    .execute()
}

/** Notes why no draft was made of an error of a session; null after one was made. */
export async function setNoDraft(
  db: Db,
  { userId, sessionId, signature }: { userId: string; sessionId: string; signature: string },
  reason: string | null,
): Promise<void> {
  await db
    .updateTable('recoveries')
    .set({ no_draft: reason })
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId)
    .where('signature', '=', signature)
    .execute()
}

/** Counts what was solved since then and is no draft, by reason, most first. */
async function countNoDrafts(
  db: Db,
  userId: string,
  since: string,
): Promise<{ reason: (typeof NO_DRAFT)[number]; count: number }[]> {
  const rows = await db
    .selectFrom('recoveries')
    .select(({ fn }) => ['no_draft', fn.count<number>('signature').distinct().as('errors')])
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .where('no_draft', 'is not', null)
    .groupBy('no_draft')
    .execute()
  return NO_DRAFT.flatMap((reason) => {
    const errors = rows.find(({ no_draft }) => no_draft === reason)?.errors
    return errors ? [{ reason, count: Number(errors) }] : []
  }).toSorted((a, b) => b.count - a.count)
}

export async function deleteRecoveriesBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('recoveries').where('created_at', '<', before).execute()
}

async function deliveredFor(
  db: Db,
  { userId, sessionId, signature }: { userId: string; sessionId: string; signature: string },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('recall_calls')
    .innerJoin('recall_items', (join) =>
      join
        .onRef('recall_items.user_id', '=', 'recall_calls.user_id')
        .onRef('recall_items.call_id', '=', 'recall_calls.call_id'),
    )
    .select('recall_items.item_id')
    .where('recall_calls.user_id', '=', userId)
    .where('recall_calls.session_id', '=', sessionId)
    .where('recall_calls.signature', '=', signature)
    .where('recall_items.kind', '=', 'card')
    .orderBy('recall_items.created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.item_id
}

const SURE_ENOUGH = 0.7
const JUST_WRITTEN_MS = DAY_MS

const LOOKED_AT = 3

type Like = {
  cardId: string
  isRecordedSince: boolean
}

const QUOTED = /["'`]([^"'`\n]{2,100})["'`]/g

/** Compares the names in both texts: a card about another module is about another error. */
function namesTheSame(failure: string, { title, symptom, fix_summary }: Text): boolean {
  const names = [...failure.matchAll(QUOTED)].map((match) => match[1] as string)
  const text = [title, symptom, fix_summary].join('\n')
  return names.length === 0 || names.some((name) => text.includes(name))
}

async function looksLike(
  ctx: UserCtx,
  candidate: Candidate,
  { signature, sessionId }: { signature: string; sessionId: string | null },
): Promise<Like | undefined> {
  const { userId } = ctx.viewer
  const delivered = sessionId && (await deliveredFor(ctx.db, { userId, sessionId, signature }))
  if (delivered) return { cardId: delivered, isRecordedSince: false }
  const [near] = await cardsLike(ctx, draftCard(candidate))
  if (near && near.similarity >= SIMILAR) return { cardId: near.card_id, isRecordedSince: false }
  const { cards } = await findOwnAndTeam(ctx, candidate.failure, LOOKED_AT)
  const hit = cards.find(
    ({ row, confidence }) => confidence >= SURE_ENOUGH && namesTheSame(candidate.failure, row),
  )
  if (!hit) return undefined
  const age = ctx.now().getTime() - Date.parse(hit.row.created_at)
  return { cardId: hit.row.card_id, isRecordedSince: hit.row.owner_id === userId && age < JUST_WRITTEN_MS }
}

const DRAFTS_A_DAY = 3
const DAYS_KEPT = 30

export type Origin = { projectKey: string | null; sessionId: string | null; client: string | null }

type Kept = { draft: CardDraftsTable } | { skipped: 'known' | 'recorded' | 'daily_limit' | 'no_error' }

export async function keepCandidate(ctx: UserCtx, given: Candidate, origin: Origin): Promise<Kept> {
  const { userId } = ctx.viewer
  const candidate = cleanCandidate(given)
  const signature = signatureOf(candidate)
  if (signature === '') return { skipped: 'no_error' }
  if (await hasDraft(ctx.db, userId, signature)) return { skipped: 'known' }
  const today = dayBegan(ctx.now())
  if ((await draftsSince(ctx.db, userId, today)) >= DRAFTS_A_DAY) return { skipped: 'daily_limit' }
  const like = await looksLike(ctx, candidate, { signature, sessionId: origin.sessionId })
  if (like?.isRecordedSince) return { skipped: 'recorded' }
  const now = ctx.now()
  const draft: CardDraftsTable = {
    draft_id: newId(),
    user_id: userId,
    status: 'open',
    signature,
    candidate: toJson(candidate),
    project_key: origin.projectKey,
    session_id: origin.sessionId,
    client: origin.client,
    looks_like: like?.cardId ?? null,
    card_id: null,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + DAYS_KEPT * DAY_MS).toISOString(),
    decided_at: null,
  }
  return inTx(ctx, async (ctx): Promise<Kept> => {
    if ((await draftsSince(ctx.db, userId, today)) >= DRAFTS_A_DAY) return { skipped: 'daily_limit' }
    if (!(await insertDraft(ctx.db, draft))) return { skipped: 'known' }
    await chargeText(ctx, textBytes('card_drafts', draft))
    await tell({ ...ctx, viewer: null }, { userId, kind: 'drafts.new' })
    return { draft }
  })
}

export const candidateOf = (row: CardDraftsTable): Candidate => fromJson<Candidate>(row.candidate)

/** Returns drafts for their owner, without the names of cards that the owner can no longer read. */
async function presentDrafts(
  ctx: UserCtx,
  rows: readonly CardDraftsTable[],
): Promise<z.input<typeof DraftResponse>[]> {
  const named = rows.flatMap(({ looks_like }) => (looks_like === null ? [] : [looks_like]))
  const cards = await readableTitles(ctx, named)
  return rows.map((row) => {
    const { environment: _, ...evidence } = candidateOf(row)
    return {
      draft_id: row.draft_id,
      status: row.status,
      ...draftCard(candidateOf(row)),
      evidence,
      looks_like: cards.get(row.looks_like ?? '') ?? null,
      project_key: row.project_key,
      client: row.client,
      card_id: row.card_id,
      created_at: row.created_at,
      expires_at: row.expires_at,
    }
  })
}

const LABEL = 1000

const CandidateInput = z
  .object({
    command: z
      .string()
      .min(1)
      .max(LIMITS.command)
      .refine(...MORE_THAN_CONTROLS),
    exit_code: z.int().nullable().default(null),
    failure: z.string().min(1).max(LIMITS.failure).describe('The telling lines of the failing output'),
    success: z
      .string()
      .max(LIMITS.success)
      .default('')
      .describe('The last lines of the same command succeeding'),
    attempts: z.int().min(1).max(LIMITS.attempts).default(1),
    files: z.array(z.string().max(LIMITS.file)).max(LIMITS.files).default([]),
    commands: z.array(z.string().max(LIMITS.command)).max(LIMITS.commands).default([]),
    report: z.string().max(LIMITS.report).default('').describe('What the agent said about it'),
    environment: dictionary(z.string().min(1).max(200), z.string().max(500), LIMITS.environment).default({}),
  })
  .meta({ id: 'DraftCandidate' })

const DraftsOffer = z
  .object({
    candidates: z.array(CandidateInput).min(1).max(20),
    project_key: requiredText(1, LABEL).nullish(),
    session_id: z.string().max(LABEL).nullish(),
    client: z.string().max(LABEL).nullish(),
  })
  .meta({ id: 'DraftsOffer' })

const NO_DRAFT = ['daily_limit', 'recorded', 'storage_full', ...NO_DRAFT_BY_RULES] as const

const SKIPPED = ['known', 'recorded', 'daily_limit', 'no_error'] as const

const DraftsMade = z
  .object({
    results: z.array(
      z.object({
        draft_id: AnswerId.nullable(),
        skipped: z
          .enum(SKIPPED)
          .nullable()
          .describe(
            'known: this error has a draft; recorded: you have recorded a card of it; daily_limit: send it again tomorrow; no_error: it contains no error',
          ),
      }),
    ),
    made: z.int(),
  })
  .meta({ id: 'DraftsMade' })

const DraftId = z.object({ draft_id: Id })

const Evidence = z.object({
  command: z.string(),
  exit_code: z.int().nullable(),
  failure: z.string(),
  success: z.string(),
  attempts: z.int(),
  files: z.array(z.string()),
  commands: z.array(z.string()),
  report: z.string(),
})

const DraftResponse = z
  .object({
    draft_id: AnswerId,
    status: z.enum(['open', 'accepted', 'dismissed']),
    ...pick(answered, DRAFTED_FIELDS),
    steps: z.array(z.object({ order: z.int(), action: z.string(), result: z.string() })),
    evidence: Evidence.describe('What the draft was made from'),
    looks_like: z
      .object({ card_id: AnswerId, title: z.string() })
      .nullable()
      .describe(
        'A card of yours or your teams that may say the same, with the scope search; then a verdict may be better than a new card',
      ),
    project_key: z.string().nullable(),
    client: z.string().nullable(),
    card_id: AnswerId.nullable().describe('The card that it became, or the card that got a verdict'),
    created_at: Time,
    expires_at: Time,
  })
  .meta({ id: 'DraftResponse' })

const DraftListResponse = pageOf(DraftResponse)
  .extend({
    not_made: z
      .array(z.object({ reason: z.enum(NO_DRAFT), count: z.int() }))
      .describe(
        'What your agents solved today (UTC) without a draft, by reason. daily_limit: more than the drafts of a day; recorded: you have recorded a card of it; storage_full: your storage is full; nothing_changed: nothing was changed in between; own_slip: a slip in code or tests that the session itself wrote; transient: network or timing; taken_back: the change was taken back or did not last; test_removed: the failing test was removed',
      ),
  })
  .meta({ id: 'DraftListResponse' })

const { title, symptom, fix_summary, card_type, ...others } = withoutDefaults(
  pick(given, ['card_type', ...DRAFTED_FIELDS]),
)

export const DraftAccept = z
  .object({
    ...DraftId.shape,
    as: z
      .enum(['card', 'verdict'])
      .default('card')
      .describe('card: a new card of yours; verdict: worked, on the card that it looks like'),
    card_id: Id.nullish().describe('With as=verdict: the card, if not the one that it looks like'),
    workspace_id: Id.nullish().describe(
      'With as=card. Default: the one in your settings, else the personal one',
    ),
    title,
    symptom,
    fix_summary,
    card_type,
    ...others,
  })
  .meta({ id: 'DraftAccept' })

export const DraftAccepted = z
  .object({
    draft_id: AnswerId,
    card_id: AnswerId,
    outcome: z.enum(['recorded', 'confirmed']),
    title: z.string().describe('Of the card'),
    has_warnings: z.boolean().describe('The card seems to contain a secret'),
  })
  .meta({ id: 'DraftAccepted' })

export async function requireDraft(ctx: UserCtx, draftId: string): Promise<CardDraftsTable> {
  const now = ctx.now().toISOString()
  const row = await findDraft(ctx.db, { userId: ctx.viewer.userId, draftId, now })
  if (!row) throw notFound('Draft', `A draft is kept for ${DAYS_KEPT} days.`)
  return row
}

export function refuseDecided({ status, card_id }: CardDraftsTable): void {
  if (status === 'accepted')
    throw conflict('draft_decided', `This draft is already accepted; its card is ${card_id}.`, { card_id })
  if (status === 'dismissed')
    throw conflict('draft_decided', 'This draft is dismissed. Reopen it first.', { card_id: null })
}

export const listDrafts = capability({
  name: 'drafts.list',
  summary: 'Drafts of cards that were found in your own work, newest first',
  description: `A command that failed, changes, and the same command succeeding make a draft: at most ${DRAFTS_A_DAY} a day, kept for ${DAYS_KEPT} days. Nobody but you sees them, no search finds them, and none becomes a card by itself.`,
  scopes: ['record'],
  rest: ['GET /api/v1/drafts'],
  input: z.object({ status: z.enum(['open', 'accepted', 'dismissed']).default('open'), ...Page }),
  output: DraftListResponse,
  run: async (ctx, { status, page, page_size }) => {
    const asked = { userId: ctx.viewer.userId, status, now: ctx.now().toISOString() }
    const total = await countDrafts(ctx.db, asked)
    const at = { limit: page_size, offset: (page - 1) * page_size }
    const items = await presentDrafts(ctx, await listDraftsOf(ctx.db, asked, at))
    const not_made = await countNoDrafts(ctx.db, ctx.viewer.userId, dayBegan(ctx.now()))
    return { items, total, page, page_size, not_made }
  },
})

export const getDraft = capability({
  name: 'drafts.get',
  summary: 'One draft with its evidence',
  scopes: ['record'],
  rest: ['GET /api/v1/drafts/{draft_id}'],
  input: DraftId,
  output: DraftResponse,
  errors: [404],
  run: async (ctx, { draft_id }) => {
    const [draft] = await presentDrafts(ctx, [await requireDraft(ctx, draft_id)])
    if (!draft) throw notFound('Draft')
    return draft
  },
})

export const offerDrafts = capability({
  name: 'drafts.offer',
  summary: 'Send what was found in old sessions; the best become drafts',
  description: `The best first. Secrets are replaced by placeholders. After ${DRAFTS_A_DAY} drafts a day a candidate is skipped and may be sent again.`,
  scopes: ['record'],
  rest: ['POST /api/v1/drafts'],
  maxBodyBytes: 1024 * 1024,
  errors: [413],
  input: DraftsOffer,
  output: DraftsMade,
  run: async (ctx, { candidates, project_key, session_id, client }) => {
    // The key of a project may be a remote address with a token in it.
    const findings = new Findings()
    const origin = {
      projectKey: cleanOptional(project_key, findings),
      sessionId: cleanOptional(session_id, findings),
      client: cleanOptional(client, findings),
    }
    const results: z.input<typeof DraftsMade>['results'] = []
    for (const candidate of candidates) {
      const kept = await keepCandidate(ctx, candidate, origin)
      const made = 'draft' in kept
      results.push({
        draft_id: made ? kept.draft.draft_id : null,
        skipped: made ? null : kept.skipped,
      })
    }
    return { results, made: results.filter(({ draft_id }) => draft_id !== null).length }
  },
})

const decide = (ctx: UserCtx, draftId: string, from: DraftStatus, to: DraftStatus): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const row = await requireDraft(ctx, draftId)
    if (row.status === to) return
    if (row.status !== from) refuseDecided(row)
    const decided_at = to === 'open' ? null : ctx.now().toISOString()
    await decideDraft(ctx.db, row, { status: to, card_id: null, decided_at })
  })

export const dismissDraft = capability({
  name: 'drafts.dismiss',
  summary: 'Dismiss a draft; the same error makes no other one',
  scopes: ['record'],
  rest: ['POST /api/v1/drafts/{draft_id}/dismiss'],
  status: 204,
  input: DraftId,
  output: z.void(),
  errors: [404, 409],
  run: (ctx, { draft_id }) => decide(ctx, draft_id, 'open', 'dismissed'),
})

export const reopenDraft = capability({
  name: 'drafts.reopen',
  summary: 'Reopen a dismissed draft',
  scopes: ['record'],
  rest: ['POST /api/v1/drafts/{draft_id}/reopen'],
  status: 204,
  input: DraftId,
  output: z.void(),
  errors: [404, 409],
  run: (ctx, { draft_id }) => decide(ctx, draft_id, 'dismissed', 'open'),
})
