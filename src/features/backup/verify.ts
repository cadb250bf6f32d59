import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { openSnapshot } from '../../db/open.ts'
import type { TableShape } from '../../db/snapshot.ts'
import { strayEntries, wronglyIndexed, wronglyListed } from '../../search-index/index.ts'
import { indexableCards, wordsOnly } from '../cards/index.ts'
import { reconcile } from '../credits/index.ts'
import { indexDifference } from '../memory/index.ts'
import { ticketFile } from './format.ts'

type Check = { what: string; findings: string[] }

type Count = { n: number }

const countOf = async (ctx: Ctx, query: ReturnType<typeof sql<Count>>): Promise<number> =>
  Number((await query.execute(ctx.db)).rows[0]?.n ?? 0)

async function checkReferences(ctx: Ctx, tables: readonly TableShape[]): Promise<string[]> {
  const findings: string[] = []
  for (const { name, references } of tables)
    for (const { table, columns } of references) {
      const isSet = columns.map(([own]) => sql`a.${sql.id(own)} is not null`)
      const fits = columns.map(([own, target]) => sql`b.${sql.id(target)} = a.${sql.id(own)}`)
      const lost = await countOf(
        ctx,
        sql`select count(*) as n from ${sql.id(name)} as a where ${sql.join(isSet, sql` and `)}
          and not exists (select 1 from ${sql.id(table)} as b where ${sql.join(fits, sql` and `)})`,
      )
      if (lost > 0) findings.push(`${lost} rows of ${name} refer to a row of ${table} that is not there`)
    }
  return findings
}

async function checkLedger(ctx: Ctx): Promise<string[]> {
  const { differences } = await reconcile(ctx)
  return differences.map(
    ({ user_id, balance, entries }) => `account ${user_id}: balance ${balance}, entries add up to ${entries}`,
  )
}

async function checkHistory(ctx: Ctx): Promise<string[]> {
  const gaps = await countOf(
    ctx,
    sql`select count(*) as n from cards where version - 1 <>
      (select count(*) from card_versions where card_versions.card_id = cards.card_id)`,
  )
  const evidence = await countOf(
    ctx,
    sql`select count(*) as n from cards where evidence_count <>
      (select count(*) from card_evidences where card_evidences.card_id = cards.card_id)`,
  )
  return [
    ...(gaps > 0 ? [`${gaps} cards lack former versions`] : []),
    ...(evidence > 0 ? [`${evidence} cards have a wrong count of evidence`] : []),
  ]
}

async function checkMemory(ctx: Ctx): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`select project_id from context_projects as projects
    where not exists (select 1 from context_project_aliases as aliases where aliases.user_id = projects.user_id
      and aliases.project_id = projects.project_id and aliases.alias = projects.project_key)`.execute(ctx.db)
  if (rows.length === 0) return []
  const some = rows.slice(0, 3).map((row) => row.project_id)
  return [`${rows.length} projects of memory are not found by their own key (${some.join(', ')} …)`]
}

async function checkSearch(ctx: Ctx): Promise<string[]> {
  const wrong: string[] = []
  for (let after = ''; ; ) {
    const cards = await indexableCards(ctx, after)
    const last = cards.at(-1)
    if (!last) break
    wrong.push(...(await wronglyIndexed(ctx, await Promise.all(cards.map(wordsOnly)))))
    after = last.card_id
  }
  const { deleted, cards, countedCards } = await strayEntries(ctx)
  const unlisted = await wronglyListed(ctx)
  return [
    ...(wrong.length > 0
      ? [`${wrong.length} cards are not in the index as they are now (${wrong.slice(0, 3).join(', ')} …)`]
      : []),
    ...(deleted > 0 ? [`${deleted} deleted cards are in the index; kvault reindex removes them`] : []),
    ...(cards !== countedCards ? [`the index has ${cards} cards and counts ${countedCards}`] : []),
    ...(unlisted > 0
      ? [`the posting lists are wrong for ${unlisted} cards; kvault reindex rebuilds them`]
      : []),
  ]
}

async function checkMemoryIndex(ctx: Ctx): Promise<string[]> {
  const { lacking, stray } = await indexDifference(ctx.db, ctx.database.engine)
  return [
    ...(lacking > 0 ? [`${lacking} memory events lack an index entry; kvault reindex adds it`] : []),
    ...(stray > 0 ? [`${stray} memory index entries have no event`] : []),
  ]
}

async function checkFiles(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('support_attachments')
    .select(['ticket_id', 'attachment_id', 'size_bytes'])
    .execute()
  const findings: string[] = []
  for (const { ticket_id, attachment_id, size_bytes } of rows) {
    const path = ticketFile(ticket_id, attachment_id)
    const found = await stat(join(ctx.config.dataDir, path)).catch(() => undefined)
    if (found?.size !== size_bytes)
      findings.push(`${path} ${found ? `has ${found.size} bytes instead of ${size_bytes}` : 'is missing'}`)
  }
  return findings
}

/** Runs a check. An exception becomes a finding, so that the other checks still run. */
async function check(what: string, look: () => Promise<string[]>): Promise<Check> {
  try {
    return { what, findings: await look() }
  } catch (error) {
    return { what, findings: [`it cannot be checked: ${error instanceof Error ? error.message : error}`] }
  }
}

/** Checks the vault for contradictions. Writes that happen meanwhile may show as differences. */
export async function verifyVault(ctx: Ctx): Promise<Check[]> {
  const snapshot = await openSnapshot(ctx.config)
  const { tables } = snapshot
  const storage = await check('Storage', snapshot.damage)
  await snapshot.close()
  return [
    storage,
    await check('References', () => checkReferences(ctx, tables)),
    await check('Ledger', () => checkLedger(ctx)),
    await check('Card history', () => checkHistory(ctx)),
    await check('Memory', () => checkMemory(ctx)),
    await check('Search index', () => checkSearch(ctx)),
    await check('Memory index', () => checkMemoryIndex(ctx)),
    await check('Attachments', () => checkFiles(ctx)),
  ]
}
