import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Page, pageOf } from '../../core/schemas.ts'
import { fromJson } from '../../db/columns.ts'
import type { CardVerdictsTable } from '../../db/tables/verdicts.ts'
import { type CardRow, readableCard } from '../cards/access.ts'
import { CardId } from '../cards/schemas.ts'
import { withMerged } from '../cards/successor.ts'
import { openingOf, type VerdictSource, verdictsShown } from './verdicts.store.ts'
import { type OUTCOMES, said } from './verdicts.ts'

const VerdictList = pageOf(
  z
    .object({
      ...said,
      evidence: z.string().nullable(),
      user_name: z.string().nullable().describe('Shown to those who may edit the card'),
      is_mine: z.boolean(),
    })
    .meta({ id: 'VerdictItem' }),
).meta({ id: 'VerdictListResponse' })

type Shown = CardVerdictsTable & { user_name: string }

/** Every reader of the card sees the outcomes. Only people who may edit it see who gave them, and the output they sent. */
const presentVerdict = (row: Shown, viewer: { userId: string; mayEdit: boolean }) => {
  const isMine = row.user_id === viewer.userId
  return {
    ...row,
    outcome: row.outcome as (typeof OUTCOMES)[number],
    environment: fromJson<Record<string, string>>(row.environment),
    evidence: isMine || viewer.mayEdit ? row.evidence : null,
    user_name: isMine || viewer.mayEdit ? row.user_name : null,
    is_mine: isMine,
  }
}

/**
 * Only the owner sees verdicts from before the card came into its workspace, and only members those from before the
 * workspace was opened to others, or the card shared in it. Everybody sees what they said themselves.
 */
async function sourceOf(ctx: UserCtx, card: CardRow): Promise<VerdictSource> {
  const { card_id, owner_id, seen_since, published_at, viewer_role, workspace_id } = card
  if (owner_id === ctx.viewer.userId) return { card_id, since: [] }
  const since = viewer_role === null ? [published_at, await openingOf(ctx.db, workspace_id)] : []
  return { card_id, since: [seen_since, ...since].filter((time) => time !== null) }
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
    const editable = new Set(cards.filter((one) => one.may_update === 1).map((one) => one.card_id))
    const items = rows.map((row) =>
      presentVerdict(row, { userId: ctx.viewer.userId, mayEdit: editable.has(row.card_id) }),
    )
    return { items, total, page, page_size }
  },
})
