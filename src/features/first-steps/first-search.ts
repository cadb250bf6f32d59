import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { hasSearched, noteFirstStep } from './first-steps.store.ts'

/**
 * People whose first search is stored already. A new process starts with an empty set and asks the database once for
 * each.
 */
const known = new WeakMap<Ctx['database'], Set<string>>()
const MOST_KNOWN = 100_000

function remember({ database }: Ctx, userId: string): void {
  const people = known.get(database) ?? new Set()
  if (people.size >= MOST_KNOWN) people.clear()
  known.set(database, people.add(userId))
}

/**
 * Stores the first search of a person. Every later one costs a look into a set. A failure here does not fail the search. Only
 * with an Idempotency-Key it does: that search is in a transaction, which cannot go on after it.
 */
export async function noteFirstSearch(ctx: UserCtx): Promise<void> {
  const { userId } = ctx.viewer
  if (known.get(ctx.database)?.has(userId)) return
  try {
    if (!(await hasSearched(ctx.db, userId)))
      await inTx(ctx, (ctx) => noteFirstStep(ctx.db, userId, { searched_at: ctx.now().toISOString() }))
    // Not before: what a transaction has noted may be rolled back.
    ctx.afterCommit(() => remember(ctx, userId))
  } catch (error) {
    if (ctx.transacting) throw error
    ctx.log.warn({ err: error }, 'the first search of a person could not be noted')
  }
}
