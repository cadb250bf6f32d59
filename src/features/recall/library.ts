import type { UserCtx } from '../../core/context.ts'
import { balanceOf, spentOn } from '../credits/ledger.ts'
import { PUBLIC_SEARCH_COST } from '../credits/policy.ts'
import { settingsOf } from '../identity/users/user-settings.ts'
import { requireUser } from '../identity/users/users.ts'
import { type FoundCard, lookInLibrary } from '../search/find-cards.ts'
import { foundCard, LOOKED_AT } from './fitting.ts'
import { type Asker, type Found, isWithheld } from './items.ts'
import { type Asked, surelyFitting } from './judge.ts'

/** Shows what the library has and books its price, in the open transaction. */
export type LibraryOffer = (
  ctx: UserCtx,
  callId: string,
  mayCome: (found: Found) => boolean,
) => Promise<{ found: Found[]; charged: number }>

const startOfMonth = (now: Date): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString()

/** Within the monthly limit and the balance: recall never fails because credits are missing. */
async function mayPay(ctx: UserCtx, monthly: number): Promise<boolean> {
  const userId = ctx.viewer.userId
  const spent = await spentOn(ctx, { userId, refType: 'recall', since: startOfMonth(ctx.now()) })
  return spent + PUBLIC_SEARCH_COST <= monthly && (await balanceOf(ctx, userId)) >= PUBLIC_SEARCH_COST
}

/** Undefined if the person has not switched the library on for agents, or if it has nothing. */
export async function offerOfLibrary(
  ctx: UserCtx,
  question: Asked & { query: string },
  asker: Asker,
): Promise<LibraryOffer | undefined> {
  const settings = settingsOf(await requireUser(ctx, ctx.viewer.userId))
  const monthly = settings.agent_library_monthly_credits
  if (!settings.agent_library || (ctx.config.credits && monthly < PUBLIC_SEARCH_COST)) return undefined
  const hits = await lookInLibrary(ctx, question.query, LOOKED_AT)
  if (!hits) return undefined
  const { information, show } = hits
  const fitting = (cards: FoundCard[]) =>
    surelyFitting(question, { cards, information })
      .filter(({ card }) => !isWithheld(card.row))
      .map((card) => foundCard(card, asker))
  return async (ctx, callId, mayCome) => {
    const { picked, charged } = await show(ctx, {
      ref: { type: 'recall', id: callId },
      isAllowed: async (ctx, { picked }) => fitting(picked).some(mayCome) && (await mayPay(ctx, monthly)),
    })
    return { found: fitting(picked), charged }
  }
}
