import type { UserCtx } from '../../core/context.ts'
import { toJson } from '../../db/columns.ts'
import { updateCardRow } from './cards.store.ts'
import type { StoredOrigin } from './origin.ts'

/** After the text of a pulled card was renewed: what it says now is what the origin says. */
export const changeOrigin = (ctx: UserCtx, cardId: string, origin: StoredOrigin): Promise<void> =>
  updateCardRow(ctx.db, cardId, { origin: toJson(origin), content_hash: origin.content_hash })
