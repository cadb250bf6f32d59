import { sql } from 'kysely'
import type { Ctx } from '../core/context.ts'
import { ANALYSER_VERSION } from '../text/analyse.ts'
import { NUMBER_SPACE } from '../text/term-hash.ts'
import type { DocumentWords } from './document.ts'
import { documentsNamedBy } from './index-store.ts'
import { type Candidate, unpack } from './packing.ts'
import { BLOCK_DOCUMENTS, blockOf, decoded, eachList, firstOf } from './postings.ts'

const isSame = (found: Candidate, wanted: DocumentWords): boolean =>
  found.length === wanted.length &&
  found.hashes.length === wanted.hashes.length &&
  wanted.hashes.every((hash, i) => hash === found.hashes[i] && wanted.levels[i] === found.levels[i])

/** Returns ids of documents whose index entry is wrong and that are not marked for re-indexing. */
export async function wronglyIndexed(
  ctx: Ctx,
  entries: readonly { documentId: string; words: DocumentWords }[],
): Promise<string[]> {
  if (entries.length === 0) return []
  const ids = sql<{ card_id: string }>`select card_id from search_docs
    where card_id in (${sql.join(entries.map(({ documentId }) => documentId))})`
  const found = await documentsNamedBy(ctx, ids, entries.length)
  const byId = new Map(found.map((candidate) => [candidate.documentId, candidate]))
  const waiting = await sql<{ card_id: string }>`${ids} and analyser < ${ANALYSER_VERSION}`.execute(ctx.db)
  const isWaiting = new Set(waiting.rows.map((row) => row.card_id))
  return entries
    .filter(({ documentId }) => !isWaiting.has(documentId))
    .filter(({ documentId, words }) => {
      const candidate = byId.get(documentId)
      return !candidate || !isSame(candidate, words)
    })
    .map(({ documentId }) => documentId)
}

export async function strayEntries(
  ctx: Ctx,
): Promise<{ deleted: number; countedCards: number; cards: number }> {
  const count = async (query: ReturnType<typeof sql<{ n: number }>>) =>
    Number((await query.execute(ctx.db)).rows[0]?.n ?? 0)
  return {
    deleted: await count(
      sql`select count(*) as n from search_docs join cards using (card_id) where cards.deleted_at is not null`,
    ),
    cards: await count(sql`select count(*) as n from search_docs`),
    countedCards: await count(
      sql`select (select cards from search_totals) + (select coalesce(sum(cards), 0) from search_changes) as n`,
    ),
  }
}

const CARDS_AT_ONCE = 4096
const KEYS_AT_ONCE = NUMBER_SPACE / 16

async function addRun(ctx: Ctx, run: number, sums: Float64Array): Promise<void> {
  const base = firstOf(run) % BLOCK_DOCUMENTS
  const rowsBetween = (from: number, to: number) =>
    ctx.db
      .selectFrom('search_postings')
      .selectAll()
      .where('run', '=', run)
      .where((eb) => eb.between('key', from, to))
      .execute()
  for (let from = -KEYS_AT_ONCE; from < NUMBER_SPACE; from += KEYS_AT_ONCE)
    for (const row of await rowsBetween(from, from + KEYS_AT_ONCE - 1))
      eachList(row, (hash, count) => {
        for (let i = 0; i < count; i++) {
          const at = base + (decoded.offsets[i] as number)
          sums[at] = (sums[at] as number) + hash + 1
        }
      })
}

const sumOf = ({ hashes, filters }: Candidate) =>
  [...Array.from(hashes), ...Array.from(filters)].reduce((sum, hash) => sum + hash + 1, 0)

async function wronglyListedIn(ctx: Ctx, block: number): Promise<number[]> {
  const sums = new Float64Array(BLOCK_DOCUMENTS)
  for (const { run } of await ctx.db.selectFrom('search_runs').select('run').execute())
    if (blockOf(firstOf(run)) === block) await addRun(ctx, run, sums)
  const first = block * BLOCK_DOCUMENTS
  const wrong: number[] = []
  for (let from = first; from < first + BLOCK_DOCUMENTS; from += CARDS_AT_ONCE) {
    const rows = await ctx.db
      .selectFrom('search_docs')
      .select(['doc_no', 'card_id', 'weights'])
      .where((eb) => eb.between('doc_no', from, from + CARDS_AT_ONCE - 1))
      .where('doc_no', 'not in', (eb) => eb.selectFrom('search_fresh').select('search_fresh.doc_no'))
      .execute()
    for (const card of rows.map(unpack)) if (sums[card.docNo - first] !== sumOf(card)) wrong.push(card.docNo)
  }
  return wrong
}

export async function wronglyListed(ctx: Ctx): Promise<number> {
  const last = await ctx.db
    .selectFrom('search_docs')
    .select('doc_no')
    .orderBy('doc_no', 'desc')
    .limit(1)
    .execute()
  let wrong = 0
  for (let block = 0; block <= blockOf(last[0]?.doc_no ?? 0); block++) {
    const once = new Set(await wronglyListedIn(ctx, block))
    if (once.size > 0) wrong += (await wronglyListedIn(ctx, block)).filter((docNo) => once.has(docNo)).length
  }
  return wrong
}
