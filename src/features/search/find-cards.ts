import type { UserCtx } from '../../core/context.ts'
import { readQuery } from '../../text/query-words.ts'
import { type Charge, chargedSearch } from './charge.ts'
import { isCarried, mayHit, type Picked, pickHits } from './hits.ts'
import { NO_CODES } from './other-code.ts'
import { type Demands, type Loaded, loadHits } from './results.ts'
import { type Retrieved, retrieve } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

const scopeOf = (ctx: UserCtx, scope: 'known' | 'public'): SearchScope => ({
  viewerId: ctx.viewer.userId,
  scope,
  workspaceIds: [],
  tags: [],
  environment: {},
  track: undefined,
})

const NO_DEMANDS: Demands = { phrases: [], isInTitle: false, codes: NO_CODES }

/** The information of each word of the text, by its term. */
export type Information = ReadonlyMap<string, number>

const informationIn = ({ asked }: Retrieved): Information =>
  new Map(asked.map(({ term, information }) => [term, information]))

/** A card that search found, whatever its confidence; the caller judges it. */
export type FoundCard = Loaded
export type FoundCards = { cards: FoundCard[]; information: Information }

/**
 * The best cards of the viewer and their teams for a text, also those that a team has published since. Output of a program has no typing errors, and
 * correcting words takes longer than everything else, so no word is corrected.
 */
export async function findOwnAndTeam(ctx: UserCtx, text: string, most: number): Promise<FoundCards> {
  const scope = scopeOf(ctx, 'known')
  const found = await retrieve(ctx, readQuery(text), scope, 'words', most)
  const { loaded } = await loadHits(ctx, scope, found.asked, found.hits, NO_DEMANDS)
  return { cards: loaded.filter(({ covers }) => isCarried(covers)), information: informationIn(found) }
}

export type LibraryHits = { information: Information; show: (ctx: UserCtx, charge: Charge) => Promise<Shown> }
export type Shown = { picked: Picked[]; charged: number }

/**
 * What the public library has for a text. `show` returns the hits at the price of a public search, in the caller's
 * transaction if one is open. Undefined if there is no hit.
 */
export async function lookInLibrary(
  ctx: UserCtx,
  text: string,
  most: number,
): Promise<LibraryHits | undefined> {
  const scope = scopeOf(ctx, 'public')
  const found = await retrieve(ctx, readQuery(text), scope, 'words')
  const wish = { limit: most, minScore: 0, demands: NO_DEMANDS }
  if (!mayHit(found, wish)) return undefined
  return {
    information: informationIn(found),
    show: async (ctx, charge) =>
      ctx.config.credits
        ? chargedSearch(ctx, scope, found, wish, charge)
        : { ...(await pickHits(ctx, scope, found, wish)), charged: 0 },
  }
}
