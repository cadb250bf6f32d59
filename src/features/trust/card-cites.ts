import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED } from '../../core/context.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { inBatches } from '../../db/queue.ts'
import { CITED_FIELDS, type Step } from '../../shared/card-fields.ts'
import { citeText, MAX_CITE_LENGTH, MAX_CITES, readCite, readCites } from '../../shared/cites.ts'
import {
  CardId,
  CaseResponse,
  changeCites,
  isListed,
  presentTrust,
  reviewAhead,
  storedTrust,
  Trust,
  trustSeenBy,
} from '../cards/index.ts'

const citingCards = (db: Db, viewerId: string) =>
  db
    .selectFrom('cards')
    .where('cards.cites', 'is not', null)
    .where('cards.cites', '<>', '[]')
    .where(isListed(db, viewerId, 'own_and_team'))

const cardsWithoutCites = (db: Db, limit: number) =>
  db
    .selectFrom('cards')
    .select(['card_id', ...CITED_FIELDS])
    .where('cites', 'is', null)
    .limit(limit)
    .execute()

/** Stores cites that were read outside the transaction, unless somebody has written cites meanwhile. */
async function fillCites(db: Db, cardId: string, cites: string): Promise<void> {
  await db
    .updateTable('cards')
    .set({ cites })
    .where('card_id', '=', cardId)
    .where('cites', 'is', null)
    .execute()
}

const Cites = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(MAX_CITE_LENGTH)
      .refine(
        (text) => readCite(text) !== null,
        'Input should be a package such as npm:fastify@^5, a file such as file:src/app.ts@1a2b3c4, or a URL',
      ),
  )
  .max(MAX_CITES)

const CitesResponse = z
  .object({
    card_id: AnswerId,
    cites: z.array(z.string()),
    are_written: z.boolean(),
    warnings: CaseResponse.shape.warnings,
  })
  .meta({ id: 'CardCites' })

const distinct = (cites: readonly string[]): string[] => [
  ...new Set(cites.map((text) => readCite(text)).flatMap((cite) => (cite ? [citeText(cite)] : []))),
]

export const writeCites = capability({
  name: 'cards.write_cites',
  summary: 'Set what a card cites: packages with ranges, files, addresses',
  description:
    'By default, cites are read from the environment, the steps and the texts whenever the card is saved. null returns to that. It makes no new version. The card is reviewed again: where others read it, a secret or a danger in a cite is refused (400 quality_rejected).',
  scopes: ['record', 'case:write'],
  rest: ['PUT /api/v1/cards/{card_id}/cites'],
  input: CardId.extend({ cites: Cites.nullable() }).meta({ id: 'CardCitesWrite' }),
  output: CitesResponse,
  errors: [400, 404, 409, 412],
  prepare: (ctx, { card_id }) => reviewAhead(ctx, card_id),
  run: async (ctx, { card_id, cites }) => ({
    card_id,
    are_written: cites !== null,
    ...(await changeCites(ctx, card_id, cites && distinct(cites))),
  }),
})

const CitingCard = z
  .object({
    card_id: AnswerId,
    title: z.string(),
    workspace_id: AnswerId,
    cites: z.array(z.string()),
    trust: Trust.nullable(),
    verdicts: z
      .array(z.object({ name: z.string(), version: z.string(), worked: z.int(), failed: z.int() }))
      .describe('By name and first number of the version, for 0.x the first two'),
    updated_at: Time,
  })
  .meta({ id: 'CitingCard' })

export const listCites = capability({
  name: 'cards.cites',
  summary: 'What my cards and those of my teams cite',
  description:
    'In the order of their ids. A client compares its own lock files with it, so no package name leaves its machine.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/cites'],
  input: z.object(Page),
  output: pageOf(CitingCard).meta({ id: 'CitingCardListResponse' }),
  run: async (ctx, { page, page_size }) => {
    const citing = citingCards(ctx.db, ctx.viewer.userId)
    const { total } = await citing
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await citing
      .select(['card_id', 'title', 'workspace_id', 'cites', 'seen_since', 'updated_at'])
      .select(trustSeenBy(ctx.viewer.userId).as('trust'))
      .orderBy('card_id')
      .limit(page_size)
      .offset((page - 1) * page_size)
      .execute()
    const items = rows.map((row) => ({
      ...row,
      cites: fromJson<string[]>(row.cites ?? '[]'),
      trust: presentTrust(row, ctx.now()),
      verdicts: storedTrust(row)?.environments ?? [],
    }))
    return { items, total, page, page_size }
  },
})

const AT_ONCE = 200

export async function readMissingCites(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  const next = (limit: number) => cardsWithoutCites(ctx.db, limit)
  await inBatches({ size: AT_ONCE, stopping }, next, (rows) => {
    const fill = async (ctx: Ctx) => {
      for (const row of rows) {
        const content = {
          ...row,
          environment: fromJson<Record<string, string>>(row.environment),
          tags: fromJson<string[]>(row.tags),
          steps: fromJson<Step[]>(row.steps),
        }
        await fillCites(ctx.db, row.card_id, toJson(readCites(content)))
      }
    }
    return inTx(ctx, fill, SELF_GUARDED)
  })
}
