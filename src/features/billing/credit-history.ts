import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import { readableTitles } from '../cards/index.ts'

const CreditsEntry = z
  .object({
    entry_id: AnswerId,
    delta: z.int(),
    balance_after: z.int(),
    reason: z.enum([
      'signup_bonus',
      'publish_reward',
      'public_search',
      'feedback_reward',
      'pack_purchase',
      'plan_grant',
      'invite_redeemed',
      'invite_reward',
      'refund',
      'adjustment',
    ]),
    ref_type: z.string().nullable(),
    ref_id: z.string().nullable(),
    card_title: z
      .string()
      .nullable()
      .describe('Set when ref_id is a card that you may read; otherwise null.'),
    created_at: Time,
  })
  .meta({ id: 'CreditsEntry' })

const CreditsHistory = pageOf(CreditsEntry).meta({ id: 'CreditsHistory' })

type Referring = { ref_type: string | null; ref_id: string | null }

const cardOf = ({ ref_type, ref_id }: Referring): string[] =>
  ref_type === 'card' && ref_id !== null ? [ref_id] : []

export const readHistory = capability({
  name: 'credits.history',
  summary: 'Every movement of my credits, newest first',
  scopes: ['search'],
  rest: ['GET /api/v1/credits/history'],
  input: z.object(Page),
  output: CreditsHistory,
  run: async (ctx, { page, page_size }) => {
    const mine = ctx.db.selectFrom('credit_entries').where('user_id', '=', ctx.viewer.userId)
    const { total } = await mine
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await mine
      .select(['entry_id', 'delta', 'balance_after', 'reason', 'ref_type', 'ref_id', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('entry_id', 'desc')
      .limit(page_size)
      .offset((page - 1) * page_size)
      .execute()
    const titles = await readableTitles(ctx, rows.flatMap(cardOf))
    const items = rows.map((row) => ({
      ...row,
      reason: CreditsEntry.shape.reason.parse(row.reason),
      card_title: cardOf(row).map((id) => titles.get(id)?.title)[0] ?? null,
    }))
    return { items, total, page, page_size }
  },
})
