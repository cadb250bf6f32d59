import { z } from 'zod'
import { capability, thinAnswer } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import { dictionary } from '../../core/validation.ts'
import { flag, fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardVerdictsTable } from '../../db/knowledge-schema.ts'
import { cleanJson, cleanOptional, Findings } from '../../redaction/redact.ts'
import { DAY_MS, dayBegan } from '../../shared/time.ts'
import {
  answering,
  CardId,
  type CardRow,
  cardIfReadable,
  mergeGroup,
  presentTrust,
  publishingTeam,
  readableCard,
  Trust,
  withMerged,
} from '../cards/index.ts'
import { requireMaySpeakOf } from '../permissions/index.ts'
import { rowsOfCard, writeText } from '../storage/index.ts'
import { rewardHelp, tellOwner, USEFUL_REWARD, untellOwner } from './feedback.ts'
import { noteContradictions } from './links.ts'
import { praiseReturned, refreshIsDue, refreshSoon, standingOf, stands } from './refresh.ts'

/** Leaves the person's key free: feedback references it while it holds balances a verdict waits for. */
async function lockJudge({ db, database, viewer }: UserCtx): Promise<void> {
  if (database.engine === 'postgres')
    await db
      .selectFrom('users')
      .select('user_id')
      .where('user_id', '=', viewer.userId)
      .forNoKeyUpdate()
      .execute()
}

/** Returns this person's current verdicts on the card by environment, including withdrawn ones. */
async function standingVerdicts(
  db: Db,
  cardId: string,
  userId: string,
): Promise<Map<string, CardVerdictsTable>> {
  const rows = await db
    .selectFrom('card_verdicts')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('verdict_id')
    .execute()
  return new Map(rows.map((row) => [row.environment_key, row]))
}

/** Counts this person's verdicts on the card since a time, including withdrawn ones. */
async function countVerdicts(db: Db, cardId: string, userId: string, since: string): Promise<number> {
  const { verdicts } = await db
    .selectFrom('card_verdicts')
    .select((eb) => eb.fn.countAll<number>().as('verdicts'))
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return verdicts
}

async function insertVerdict(db: Db, row: CardVerdictsTable): Promise<void> {
  await db.insertInto('card_verdicts').values(row).execute()
}

/** Returns when the workspace was last opened to non-members. */
async function openingOf(db: Db, workspaceId: string): Promise<string | null> {
  const row = await db
    .selectFrom('workspaces')
    .select('opened_at')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return row?.opened_at ?? null
}

/** A card whose verdicts are shown if they are newer than all of these times. */
type VerdictSource = { card_id: string; since: readonly string[] }

const verdictsShown = (db: Db, readerId: string, cards: readonly VerdictSource[]) =>
  db
    .selectFrom('card_verdicts')
    .where((eb) =>
      eb.or(
        cards.map(({ card_id, since }) =>
          eb.and([
            eb('card_verdicts.card_id', '=', card_id),
            eb.or([
              eb('card_verdicts.user_id', '=', readerId),
              eb.and(since.map((time) => eb('card_verdicts.created_at', '>=', time))),
            ]),
          ]),
        ),
      ),
    )
    .where(stands)

const OUTCOMES = ['worked', 'failed', 'stale'] as const

const Environment = dictionary(z.string().min(1).max(200), z.string().max(500), 100)

export const VerdictCreate = z
  .object({
    ...CardId.shape,
    outcome: z
      .enum(OUTCOMES)
      .describe('After you used it. worked: it solved it; failed: it did not; stale: no longer true'),
    environment: Environment.nullish().describe('Where you used it, such as {"node": "24.1"}'),
    evidence: z.string().max(20_000).nullish().describe('What you saw, such as the output'),
    note: z.string().max(2000).nullish(),
    applied_in: z.string().max(1000).nullish().describe('project_key of the project you used it in'),
  })
  .meta({ id: 'VerdictCreate' })

const VerdictTool = VerdictCreate.extend({
  outcome: z.enum(OUTCOMES),
  environment: Environment.nullish(),
  evidence: z.string().max(20_000).nullish(),
  applied_in: z.string().max(1000).nullish(),
})

const said = {
  verdict_id: AnswerId,
  card_id: AnswerId,
  outcome: z.enum(OUTCOMES),
  environment: z.record(z.string(), z.string()),
  card_version: z.int().describe('The version of the card that was used'),
  note: z.string().nullable(),
  created_at: Time,
}

export const VerdictResponse = z
  .object({
    ...said,
    trust: Trust.nullable().describe('Of the card, with this verdict; null if you have just lost the card'),
    credits_awarded: z.int().describe('To the contributor of the card'),
  })
  .meta({ id: 'VerdictResponse' })

const thinVerdict = thinAnswer({
  output: z.object({ card_id: AnswerId, outcome: z.enum(OUTCOMES), trust: z.string().nullable() }),
  of: ({ card_id, outcome, trust }: z.output<typeof VerdictResponse>) => ({
    card_id,
    outcome,
    trust: trust?.summary ?? null,
  }),
})

/** Returns the same key for one environment, whatever the order and spelling of its names. */
const environmentKey = (environment: Record<string, string>): string =>
  Object.entries(environment)
    .map(([name, version]) => `${name.trim().toLowerCase()}=${version.trim().toLowerCase()}`)
    .sort()
    .join(';')

type Words = Pick<CardVerdictsTable, 'environment' | 'environment_key' | 'evidence' | 'note' | 'applied_in'>

function cleanWords(input: z.output<typeof VerdictCreate>): Words {
  const findings = new Findings()
  const environment = cleanJson(input.environment ?? {}, findings)
  return {
    environment: toJson(environment),
    environment_key: environmentKey(environment),
    evidence: cleanOptional(input.evidence, findings),
    note: cleanOptional(input.note, findings),
    applied_in: cleanOptional(input.applied_in, findings),
  }
}

type Said = Words & Pick<CardVerdictsTable, 'outcome' | 'card_version'>

const SAME_FOR_MS = DAY_MS

const isSaidAlready = (before: CardVerdictsTable, row: Said, now: Date): boolean =>
  now.getTime() - Date.parse(before.created_at) < SAME_FOR_MS &&
  before.outcome === row.outcome &&
  before.card_version === row.card_version &&
  before.evidence === row.evidence &&
  before.note === row.note &&
  before.applied_in === row.applied_in

/** Limits one person's verdicts on a card: all verdicts are read when trust is computed. */
const MAX_ENVIRONMENTS = 100
const MAX_PER_DAY = 30

async function refuseTooMany(ctx: UserCtx, cardId: string, environments: number): Promise<void> {
  if (environments > MAX_ENVIRONMENTS)
    throw conflict('too_many_verdicts', `You have judged this card in ${MAX_ENVIRONMENTS} environments.`)
  if ((await countVerdicts(ctx.db, cardId, ctx.viewer.userId, dayBegan(ctx.now()))) >= MAX_PER_DAY)
    throw conflict('too_many_verdicts', `You have judged this card ${MAX_PER_DAY} times today.`)
}

/** A repeated verdict returns the existing one; its reward is not booked twice. */
async function give(ctx: UserCtx, card: CardRow, outcome: CardVerdictsTable['outcome'], words: Words) {
  const userId = ctx.viewer.userId
  const standing = await standingVerdicts(ctx.db, card.card_id, userId)
  const before = standing.get(words.environment_key)
  if (before && isSaidAlready(before, { ...words, outcome, card_version: card.version }, ctx.now()))
    return { ...before, is_rewarded: flag(false) }
  await refuseTooMany(ctx, card.card_id, standing.size + (before ? 0 : 1))
  const isRewarded = outcome === 'worked' && (await rewardHelp(ctx, card))
  const row: CardVerdictsTable = {
    verdict_id: newId(),
    card_id: card.card_id,
    user_id: userId,
    owner_id: card.owner_id,
    card_version: card.version,
    outcome,
    ...(await standingOf(ctx, card.card_id)),
    is_rewarded: flag(isRewarded),
    created_at: ctx.now().toISOString(),
    ...words,
  }
  await writeText(ctx, [rowsOfCard('card_verdicts', row.card_id, 'verdict_id', row.verdict_id)], () =>
    insertVerdict(ctx.db, row),
  )
  if (outcome !== 'withdrawn') await tellOwner(ctx, card, outcome)
  return row
}

export const verifyCard = capability({
  name: 'cards.verify',
  summary: 'Give a verdict on a card after using it',
  description:
    'One verdict per person, card and environment; the same one again within a day changes nothing, another one, or one on a newer version of the card, replaces the former. The first worked of another person earns the contributor what the first useful does, once per person and card. Secrets in the texts are replaced by placeholders. A person judges a card in at most 100 environments, and at most 30 times a day.',
  scopes: ['record'],
  rest: ['POST /api/v1/cards/{card_id}/verdicts', 'POST /api/v1/cases/{case_id}/verdicts'],
  aliases: { case_id: 'card_id' },
  status: 201,
  tool: {
    name: 'verify_card',
    description: 'Give a verdict on a card after use.',
    extension: true,
    input: VerdictTool,
    thin: thinVerdict,
  },
  input: VerdictCreate,
  output: VerdictResponse,
  errors: [404, 409],
  run: async (ctx, input) => {
    const words = cleanWords(input)
    const row = await inTx(
      ctx,
      async (ctx) => {
        await lockJudge(ctx)
        const { row: card } = await answering(ctx, await readableCard(ctx, input.card_id))
        if (words.note !== null || words.environment_key !== '') await requireMaySpeakOf(ctx, [card])
        const returned = input.outcome === 'worked' ? await praiseReturned(ctx, card.owner_id) : []
        await refreshIsDue(ctx, card.card_id, ...returned)
        return give(ctx, card, input.outcome, words)
      },
      SELF_GUARDED,
    )
    await refreshSoon(ctx, row.card_id)
    const card = await cardIfReadable(ctx, row.card_id)
    if (card?.status === 'published') await noteContradictions(ctx, card)
    return {
      ...row,
      outcome: input.outcome,
      environment: fromJson<Record<string, string>>(row.environment),
      trust: card ? presentTrust(card, ctx.now()) : null,
      credits_awarded: row.is_rewarded * USEFUL_REWARD,
    }
  },
})

export const withdrawVerdicts = capability({
  name: 'cards.withdraw_verdicts',
  summary: 'Take back your verdicts on a card',
  description:
    'They no longer count; the log keeps that they were given and taken back. A credit that was earned stays.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/cards/{card_id}/verdicts', 'DELETE /api/v1/cases/{case_id}/verdicts'],
  aliases: { case_id: 'card_id' },
  status: 204,
  input: CardId,
  output: z.void(),
  errors: [404],
  run: async (ctx, { card_id }) => {
    const judged = await inTx(
      ctx,
      async (ctx) => {
        await lockJudge(ctx)
        const { on, cardIds } = await mergeGroup(ctx.db, card_id)
        const standing: CardVerdictsTable[] = []
        for (const cardId of cardIds.toSorted())
          for (const row of (await standingVerdicts(ctx.db, cardId, ctx.viewer.userId)).values())
            if (row.outcome !== 'withdrawn') standing.push(row)
        if (standing.length === 0)
          throw notFound('Verdict', 'You gave no verdict on this card, or have taken it back.')
        // Includes merged cards: their merge may be undone at this moment.
        const judged = [...new Set([on, ...standing.map((row) => row.card_id)])].sort()
        await refreshIsDue(ctx, ...judged)
        const nothing = { evidence: null, note: null, applied_in: null }
        const created_at = ctx.now().toISOString()
        for (const row of standing)
          await insertVerdict(ctx.db, {
            ...row,
            ...nothing,
            verdict_id: newId(),
            outcome: 'withdrawn',
            is_rewarded: 0,
            created_at,
          })
        for (const row of standing) await untellOwner(ctx, row)
        return judged
      },
      SELF_GUARDED,
    )
    for (const cardId of judged) await refreshSoon(ctx, cardId)
  },
})

const VerdictList = pageOf(
  z
    .object({
      ...said,
      evidence: z.string().nullable(),
      user_name: z
        .string()
        .nullable()
        .describe('Shown to those who may edit the card, and among editors of the team that published it'),
      is_mine: z.boolean(),
    })
    .meta({ id: 'VerdictItem' }),
).meta({ id: 'VerdictListResponse' })

type Shown = CardVerdictsTable & { user_name: string }

/** Every reader sees the outcomes, but not who gave them, nor the output. */
const presentVerdict = (row: Shown, viewer: { userId: string; isNamed: boolean }) => {
  const isMine = row.user_id === viewer.userId
  return {
    ...row,
    outcome: row.outcome as (typeof OUTCOMES)[number],
    environment: fromJson<Record<string, string>>(row.environment),
    evidence: isMine || viewer.isNamed ? row.evidence : null,
    user_name: isMine || viewer.isNamed ? row.user_name : null,
    is_mine: isMine,
  }
}

/** Names are for people who may edit the card; those of members also for editors of the team that published it. */
async function namesShown(ctx: UserCtx, cards: readonly CardRow[]): Promise<(row: Shown) => boolean> {
  const editable = new Set(cards.filter((one) => one.may_update === 1).map((one) => one.card_id))
  const teams = new Map(cards.map((one) => [one.card_id, publishingTeam(one)]))
  const teamIds = [...teams.values()].filter((id) => id !== null)
  const members = teamIds.length === 0 ? [] : await membersOfAny(ctx.db, teamIds)
  const known = new Set(members.map(({ workspace_id, user_id }) => `${workspace_id} ${user_id}`))
  return ({ card_id, user_id }) => editable.has(card_id) || known.has(`${teams.get(card_id)} ${user_id}`)
}

const membersOfAny = (db: Db, workspaceIds: readonly string[]) =>
  db
    .selectFrom('memberships')
    .select(['workspace_id', 'user_id'])
    .where('workspace_id', 'in', workspaceIds)
    .execute()

/** Members see verdicts from before sharing and publishing, the owner those from before the card was moved here. */
async function sourceOf(ctx: UserCtx, card: CardRow): Promise<VerdictSource> {
  const { card_id, owner_id, known_since, published_at, viewer_role, team_id, workspace_id } = card
  if (owner_id === ctx.viewer.userId) return { card_id, since: [] }
  const isStranger = viewer_role === null && team_id === null
  const since = isStranger ? [published_at, await openingOf(ctx.db, workspace_id)] : []
  return { card_id, since: [known_since, ...since].filter((time) => time !== null) }
}

export const listVerdicts = capability({
  name: 'cards.verdicts',
  summary: 'What came of a card where it was used',
  description: 'Newest first; withdrawn ones are left out.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/verdicts', 'GET /api/v1/cases/{case_id}/verdicts'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend(Page),
  output: VerdictList,
  errors: [404],
  run: async (ctx, { card_id, page, page_size }) => {
    const card = await readableCard(ctx, card_id)
    const cards = await withMerged(ctx, card)
    const sources = await Promise.all(cards.map((one) => sourceOf(ctx, one)))
    const shown = verdictsShown(ctx.db, ctx.viewer.userId, sources)
    const { total } = await shown
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await shown
      .innerJoin('users', 'users.user_id', 'card_verdicts.user_id')
      .selectAll('card_verdicts')
      .select('users.display_name as user_name')
      .orderBy('card_verdicts.created_at', 'desc')
      .orderBy('card_verdicts.verdict_id', 'desc')
      .limit(page_size)
      .offset((page - 1) * page_size)
      .execute()
    const isNamed = await namesShown(ctx, cards)
    const items = rows.map((row) => presentVerdict(row, { userId: ctx.viewer.userId, isNamed: isNamed(row) }))
    return { items, total, page, page_size }
  },
})
