import type { Ctx } from '../core/context.ts'
import { BLOCK_DOCUMENTS, blockOf, decodeBitmap, emptyBitmap, encodeBitmap, setBit } from './postings.ts'

/** Remembers that these numbers are gone, though posting lists still have them. */
export async function markDead(ctx: Ctx, docNos: readonly number[]): Promise<void> {
  for (const [block, some] of Map.groupBy(docNos, blockOf)) {
    const [row] = await ctx.db.selectFrom('search_dead').select('docs').where('block', '=', block).execute()
    const bitmap = row ? decodeBitmap(row.docs) : emptyBitmap()
    for (const docNo of some) setBit(bitmap, docNo % BLOCK_DOCUMENTS)
    const docs = encodeBitmap(bitmap)
    await ctx.db
      .insertInto('search_dead')
      .values({ block, docs })
      .onConflict((conflict) => conflict.column('block').doUpdateSet({ docs }))
      .execute()
  }
}
