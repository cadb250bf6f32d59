import type { UserCtx } from '../../core/context.ts'
import { readQuery } from '../../text/query-words.ts'
import { type Charge, chargedSearch } from './charge.ts'
import { mayHit, type Picked, pickHits, type Wish } from './hits.ts'
import { retrieve } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

export type { Picked }

/** How many cards, and how sure of them. */
export type CardsWanted = { limit: number; minScore: number }

const scopeOf = (ctx: UserCtx, scope: 'own_and_team' | 'public'): SearchScope => ({
  viewerId: ctx.viewer.userId,
  scope,
  workspaceIds: [],
  tags: [],
  environment: {},
  track: undefined,
})

const wishFor = (wanted: CardsWanted): Wish => ({
  ...wanted,
  demands: { phrases: [], isInTitle: false },
  isSureOnly: true,
})

/** The cards of the viewer and their teams that answer a text, as search finds them; none below the wanted confidence. */
export async function findOwnAndTeam(ctx: UserCtx, text: string, wanted: CardsWanted): Promise<Picked[]> {
  const scope = scopeOf(ctx, 'own_and_team')
  const found = await retrieve(ctx, readQuery(text), scope)
  const { picked } = await pickHits(ctx, scope, found, wishFor(wanted))
  return picked
}

export type LibraryHits = { picked: Picked[]; charged: number }

/**
 * The same in the public library. What comes back shows the hits at the price of a public search, in a transaction of the caller's
 * where one is open; undefined where there is no hit.
 */
export async function lookInLibrary(
  ctx: UserCtx,
  text: string,
  wanted: CardsWanted,
): Promise<((ctx: UserCtx, charge: Charge) => Promise<LibraryHits>) | undefined> {
  const scope = scopeOf(ctx, 'public')
  const found = await retrieve(ctx, readQuery(text), scope)
  const wish = wishFor(wanted)
  if (!mayHit(found, wish)) return undefined
  return async (ctx, charge) =>
    ctx.config.credits
      ? chargedSearch(ctx, scope, found, wish, charge)
      : { ...(await pickHits(ctx, scope, found, wish)), charged: 0 }
}
