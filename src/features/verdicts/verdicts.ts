import { z } from 'zod'
import { capability, thinAnswer } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { DAY_MS, dayBegan } from '../../core/day.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { dictionary } from '../../core/sizes.ts'
import { flag, fromJson, toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { CardVerdictsTable } from '../../db/tables/verdicts.ts'
import { noteContradictions } from '../card-links/contradictions.ts'
import { type CardRow, cardIfReadable, readableCard } from '../cards/access.ts'
import { countedTogether } from '../cards/counted-together.ts'
import { presentTrust, Trust } from '../cards/present-trust.ts'
import { CardId } from '../cards/schemas.ts'
import { answering } from '../cards/successor.ts'
import { rewardHelp, USEFUL_REWARD } from '../feedback/reward-help.ts'
import { tellOwner, untellOwner } from '../feedback/tell-owner.ts'
import { cleanJson, cleanOptional, Findings } from '../redaction/stored.ts'
import { requireMaySpeakOf } from '../sanctions/sanctions.ts'
import { rowsOfCard, writeText } from '../storage/text-usage.ts'
import { praiseReturned, standingOf } from '../trust/judging.ts'
import { refreshIsDue, refreshSoon } from '../trust/refresh-soon.ts'
import { countVerdicts, holdJudge, insertVerdict, standingVerdicts } from './verdicts.store.ts'

export const OUTCOMES = ['worked', 'failed', 'stale'] as const

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

/** Short, because every agent reads these words in each session. */
const VerdictTool = VerdictCreate.extend({
  outcome: z.enum(OUTCOMES),
  environment: Environment.nullish(),
  evidence: z.string().max(20_000).nullish(),
  applied_in: z.string().max(1000).nullish(),
})

/** What everybody reads of a verdict. */
export const said = {
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
  input: z.object({}),
  output: z.object({ card_id: AnswerId, outcome: z.enum(OUTCOMES), trust: z.string().nullable() }),
  of: ({ card_id, outcome, trust }: z.output<typeof VerdictResponse>) => ({
    card_id,
    outcome,
    trust: trust?.summary ?? null,
  }),
})

/** The same for one environment, whatever the order and the spelling of its names. */
const environmentKey = (environment: Record<string, string>): string =>
  Object.entries(environment)
    .map(([name, version]) => `${name.trim().toLowerCase()}=${version.trim().toLowerCase()}`)
    .sort()
    .join(';')

type Words = Pick<CardVerdictsTable, 'environment' | 'environment_key' | 'evidence' | 'note' | 'applied_in'>

/** All texts are scanned for secrets before they are stored. */
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

/** A repeated verdict after this time is a new confirmation. */
const SAME_FOR_MS = DAY_MS

const isSaidAlready = (before: CardVerdictsTable, row: Said, now: Date): boolean =>
  now.getTime() - Date.parse(before.created_at) < SAME_FOR_MS &&
  before.outcome === row.outcome &&
  before.card_version === row.card_version &&
  before.evidence === row.evidence &&
  before.note === row.note &&
  before.applied_in === row.applied_in

/** All verdicts on a card are read when its trust is computed, so one person must not give them without end. */
const MOST_ENVIRONMENTS = 100
const MOST_A_DAY = 30

async function refuseTooMany(ctx: UserCtx, cardId: string, environments: number): Promise<void> {
  if (environments > MOST_ENVIRONMENTS)
    throw conflict('too_many_verdicts', `You have judged this card in ${MOST_ENVIRONMENTS} environments.`)
  if ((await countVerdicts(ctx.db, cardId, ctx.viewer.userId, dayBegan(ctx.now()))) >= MOST_A_DAY)
    throw conflict('too_many_verdicts', `You have judged this card ${MOST_A_DAY} times today.`)
}

/** A verdict that is said already is answered as it is, without its reward, which is not booked again. */
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
        await holdJudge(ctx)
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
        await holdJudge(ctx)
        const { on, cardIds } = await countedTogether(ctx.db, card_id)
        const standing: CardVerdictsTable[] = []
        for (const cardId of cardIds.toSorted())
          for (const row of (await standingVerdicts(ctx.db, cardId, ctx.viewer.userId)).values())
            if (row.outcome !== 'withdrawn') standing.push(row)
        if (standing.length === 0)
          throw notFound('Verdict', 'You gave no verdict on this card, or have taken it back.')
        // Also the merged ones: their merge may be undone at this moment.
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
