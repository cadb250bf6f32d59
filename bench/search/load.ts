import { type Ctx, contextFor, inTx, type Services } from '../../src/core/context.ts'
import { toJson } from '../../src/db/columns.ts'
import { newId } from '../../src/db/ids.ts'
import { insertRows } from '../../src/db/prepared.ts'
import { columnsOf } from '../../src/features/cards/content.ts'
import { indexCards } from '../../src/features/cards/indexing/index-card.ts'
import { readCites } from '../../src/features/cites/read-cites.ts'
import { maintainIndex } from '../../src/search-index/index.ts'
import type { BenchCard } from './cards.ts'

const CARDS_PER_TRANSACTION = 1000
/** PostgreSQL writes one batch while this process prepares the next. SQLite writes in this process, one at a time. */
const TRANSACTIONS_AT_ONCE = { sqlite: 1, postgres: 2 }

export type CardTarget = { ownerId: string; workspaceId: string; status: 'unpublished' | 'published' }

export type Watch = { onProgress?: (cards: number) => void; onCard?: (cardId: string, n: number) => void }

export type Loaded = { cards: number; bytes: number; seconds: number }

async function insert(
  ctx: Ctx,
  cards: readonly BenchCard[],
  targetOf: (i: number) => CardTarget,
): Promise<string[]> {
  const now = ctx.now().toISOString()
  const rows = cards.map((card, i) => {
    const { ownerId, workspaceId, status } = targetOf(i)
    const content = {
      ...card,
      card_type: 'debug_fix' as const,
      steps: [],
      card_payload: null,
      body: null,
      scope_notes: null,
    }
    return {
      content,
      row: {
        ...columnsOf(content),
        card_id: newId(),
        owner_id: ownerId,
        workspace_id: workspaceId,
        origin_workspace_id: workspaceId,
        status,
        version: 1,
        created_at: now,
        updated_at: now,
        edited_at: now,
        edited_by: ownerId,
        edited_fields: '[]',
        review_status: 'passed' as const,
        review_reasons: toJson([]),
        // Otherwise a job would read them during the measurement.
        cites: toJson(readCites(content)),
      },
    }
  })
  const columns = Object.keys(rows[0]?.row ?? {}) as (keyof (typeof rows)[number]['row'])[]
  await insertRows(
    ctx.db,
    'cards',
    columns,
    rows.map(({ row }) => columns.map((column) => row[column])),
  )
  await insertRows(
    ctx.db,
    'card_tags',
    ['card_id', 'tag', 'tag_normal'],
    rows.flatMap(({ row, content }) => content.tags.map((tag) => [row.card_id, tag, tag])),
    'on conflict do nothing',
  )
  await indexCards(
    ctx,
    rows.map(({ row, content }) => ({
      ...content,
      card_id: row.card_id,
      owner_id: row.owner_id,
      workspace_id: row.workspace_id,
      origin_workspace_id: row.origin_workspace_id,
      status: row.status,
      review_status: row.review_status,
      hidden_at: null,
      evidence_texts: [],
    })),
  )
  return rows.map(({ row }) => row.card_id)
}

/** Writes cards as the product does, including the index, many in one transaction. */
export async function loadCards(
  services: Services,
  cards: Iterable<BenchCard>,
  targetOf: (n: number) => CardTarget,
  { onProgress = () => {}, onCard = () => {} }: Watch = {},
): Promise<Loaded> {
  const ctx = contextFor(services)
  const started = performance.now()
  const underWay = new Set<Promise<void>>()
  let loaded = 0
  let bytes = 0
  let batch: BenchCard[] = []
  const write = async (rows: readonly BenchCard[], offset: number) => {
    const ids = await inTx(ctx, (ctx) => insert(ctx, rows, (i) => targetOf(offset + i)))
    ids.forEach((id, i) => {
      onCard(id, offset + i)
    })
  }
  const flush = async () => {
    const one = write(batch, loaded).finally(() => underWay.delete(one))
    underWay.add(one)
    loaded += batch.length
    batch = []
    if (underWay.size >= TRANSACTIONS_AT_ONCE[services.database.engine]) await Promise.race(underWay)
    if (loaded % 10_000 === 0) onProgress(loaded)
  }
  for (const card of cards) {
    bytes += Buffer.byteLength([card.title, card.symptom, card.fix_summary, card.root_cause].join(''))
    if (batch.push(card) === CARDS_PER_TRANSACTION) await flush()
  }
  if (batch.length > 0) await flush()
  await Promise.all(underWay)
  await maintainIndex(ctx)
  return { cards: loaded, bytes, seconds: (performance.now() - started) / 1000 }
}
