import { z } from 'zod'
import { capability, thinAnswer } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { AnswerId, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import { dictionary } from '../../core/validation.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import type { CardVerdictsTable } from '../../db/knowledge-schema.ts'
import { cleanJson, cleanOptional, Findings } from '../../redaction/redact.ts'
import {
  CardId,
  type CardRow,
  presentTrust,
  publishingTeam,
  readableCard,
  Trust,
  withMerged,
} from '../cards/index.ts'
import { OUTCOMES, recordVerdict, type Spoken, takeBackVerdicts } from './record-verdict.ts'
import { stands } from './refresh.ts'

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

const Environment = dictionary(z.string().min(1).max(200), z.string().max(500), 100)

const VerdictCreate = z
  .object({
    ...CardId.shape,
    outcome: z
      .enum(OUTCOMES)
      .describe('After you used it. worked: it solved it; failed: it did not; stale: no longer true'),
    environment: Environment.nullish().describe('Where you used it, such as {"node": "24.1"}'),
    evidence: z.string().max(20_000).nullish().describe('What you saw, such as the output'),
    note: z.string().max(2000).nullish(),
    applied_in: z.string().max(1000).nullish().describe('project_key of the project you used it in'),
    replaces: Id.nullish().describe(
      'verdict_id of your own that this one replaces, such as the same with an environment',
    ),
  })
  .meta({ id: 'VerdictCreate' })

const VerdictTool = VerdictCreate.omit({ replaces: true }).extend({
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

const VerdictResponse = z
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

function cleanWords(input: z.output<typeof VerdictCreate>): Spoken {
  const findings = new Findings()
  const environment = cleanJson(input.environment ?? {}, findings)
  return {
    card_id: input.card_id,
    outcome: input.outcome,
    note: cleanOptional(input.note, findings),
    replaces: input.replaces,
    place: {
      environment: toJson(environment),
      environment_key: environmentKey(environment),
      evidence: cleanOptional(input.evidence, findings),
      applied_in: cleanOptional(input.applied_in, findings),
    },
  }
}

export const verifyCard = capability({
  name: 'cards.verify',
  summary: 'Give a verdict on a card after using it',
  description:
    'One verdict per person, card and environment; the same one again within a day changes nothing, another one, or one on a newer version of the card, replaces the former. The newest verdict of a person is also their feedback: worked is useful, failed is not_applicable, stale is outdated, and the note is its comment. The first worked of another person earns the contributor what the first useful does, once per person and card. Secrets in the texts are replaced by placeholders. A person judges a card in at most 100 environments, and at most 30 times a day.',
  scopes: ['record'],
  rest: ['POST /api/v1/cards/{card_id}/verdicts', 'POST /api/v1/cases/{case_id}/verdicts'],
  aliases: { case_id: 'card_id' },
  status: 201,
  tool: {
    name: 'verify_card',
    description: 'Give feedback on a card after use.',
    extension: true,
    input: VerdictTool,
    thin: thinVerdict,
  },
  input: VerdictCreate,
  output: VerdictResponse,
  errors: [404, 409],
  run: async (ctx, input) => {
    const { verdict, credits_awarded, card } = await recordVerdict(ctx, cleanWords(input))
    return {
      ...verdict,
      outcome: input.outcome,
      environment: fromJson<Record<string, string>>(verdict.environment),
      trust: card ? presentTrust(card, ctx.now()) : null,
      credits_awarded,
    }
  },
})

export const withdrawVerdicts = capability({
  name: 'cards.withdraw_verdicts',
  summary: 'Take back your verdicts on a card, and with them your feedback',
  description:
    'They no longer count; the log keeps that they were given and taken back. A credit that was earned stays.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/cards/{card_id}/verdicts', 'DELETE /api/v1/cases/{case_id}/verdicts'],
  aliases: { case_id: 'card_id' },
  status: 204,
  input: CardId,
  output: z.void(),
  errors: [404],
  run: (ctx, { card_id }) => takeBackVerdicts(ctx, card_id),
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
  input: CardId.extend({ mine: z.boolean().default(false).describe('Only your own'), ...Page }),
  output: VerdictList,
  errors: [404],
  run: async (ctx, { card_id, mine, page, page_size }) => {
    const card = await readableCard(ctx, card_id)
    const cards = await withMerged(ctx, card)
    const sources = await Promise.all(cards.map((one) => sourceOf(ctx, one)))
    const shown = verdictsShown(ctx.db, ctx.viewer.userId, sources).$if(mine, (query) =>
      query.where('card_verdicts.user_id', '=', ctx.viewer.userId),
    )
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

type Noted = { cardId: string; userId: string }

export const noteKey = ({ cardId, userId }: Noted): string => `${cardId} ${userId}`

/** Returns the newest notes of people on cards of the caller, by `noteKey`. */
export async function newestNotes(ctx: UserCtx, asked: readonly Noted[]): Promise<Map<string, string>> {
  if (asked.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('card_verdicts')
    .select(['card_id', 'user_id', 'note'])
    .where('owner_id', '=', ctx.viewer.userId)
    .where('card_id', 'in', [...new Set(asked.map(({ cardId }) => cardId))])
    .where('user_id', 'in', [...new Set(asked.map(({ userId }) => userId))])
    .where(stands)
    .orderBy('created_at')
    .orderBy('verdict_id')
    .execute()
  return new Map(
    rows.flatMap(({ card_id, user_id, note }) =>
      note === null ? [] : [[noteKey({ cardId: card_id, userId: user_id }), note] as const],
    ),
  )
}
