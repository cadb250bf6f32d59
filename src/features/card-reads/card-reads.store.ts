import { sql } from 'kysely'
import { type Db, isSqlite } from '../../db/db.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'

export type Read = { user_id: string; card_id: string; last_at: string }

/** Leaves out cards that were removed meanwhile, and people who have deleted their account. */
export async function keepReads(db: Db, reads: readonly Read[]): Promise<void> {
  const people = await db
    .selectFrom('users')
    .select('user_id')
    .where('user_id', 'in', [...new Set(reads.map((read) => read.user_id))])
    .where('deleted_at', 'is', null)
    .$if(!isSqlite(db), (query) => query.forShare())
    .execute()
  const there = await db
    .selectFrom('cards')
    .select('card_id')
    .where('card_id', 'in', [...new Set(reads.map((read) => read.card_id))])
    .execute()
  const known = new Set(there.map((row) => row.card_id))
  const present = new Set(people.map((row) => row.user_id))
  const rows = reads.filter((read) => known.has(read.card_id) && present.has(read.user_id))
  if (rows.length === 0) return
  await db
    .insertInto('card_reads')
    .values(rows)
    .onConflict((oc) => oc.columns(['user_id', 'card_id']).doUpdateSet({ last_at: sql`excluded.last_at` }))
    .execute()
}

/** More than one answer holds, because some of these cards may be visible again and are left out later. */
const MOST_LOOKED_AT = 50

type Asked = { userId: string; projectKey: string; since: string; limit: number }

/** Hidden cards are few; this many are compared at once with what a person has read. */
const MATTERS_AT_ONCE = 500

/**
 * Decisions where the person could know of them: what a private team decides, and why, is for its members. What was decided
 * while strangers read there is told also after the workspace was closed.
 */
const hidingMatters = (db: Db, { userId, since }: Asked, offset: number) =>
  db
    .selectFrom('moderation_matters as matters')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'matters.workspace_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.workspace_id', '=', 'matters.workspace_id')
        .on('memberships.user_id', '=', userId),
    )
    .select(['matters.card_id', 'matters.reason', 'matters.card_version', 'matters.decided_version'])
    .where((eb) =>
      eb.or([
        eb('matters.was_open', '=', 1),
        eb('workspaces.visibility', '!=', 'private'),
        eb('memberships.user_id', 'is not', null),
      ]),
    )
    .where(sql<boolean>`(matters.hidden_by_reports = 1 or matters.decision in ('hide', 'remove'))`)
    .where('matters.updated_at', '>=', since)
    .where('matters.owner_id', '!=', userId)
    .orderBy('matters.updated_at', 'desc')
    .orderBy('matters.matter_id')
    .limit(MATTERS_AT_ONCE)
    .offset(offset)
    .execute()

async function readAndNotTold(db: Db, { userId, projectKey }: Asked, cardIds: readonly string[]) {
  const rows = await db
    .selectFrom('card_reads')
    .select('card_reads.card_id')
    .where('card_reads.user_id', '=', userId)
    .where(isAmongTexts(db, 'card_reads.card_id', textList(cardIds)))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('withdrawals_told')
            .select('withdrawals_told.card_id')
            .where('withdrawals_told.user_id', '=', userId)
            .whereRef('withdrawals_told.card_id', '=', 'card_reads.card_id')
            .where('withdrawals_told.project_key', '=', projectKey),
        ),
      ),
    )
    .execute()
  return new Set(rows.map((row) => row.card_id))
}

/** Starts from the hidden cards, because a person may have read many. Asked apart: a cluster keeps reads by their person. */
async function hiddenAndRead(db: Db, asked: Asked) {
  const found: Awaited<ReturnType<typeof hidingMatters>> = []
  for (let offset = 0; found.length < MOST_LOOKED_AT; offset += MATTERS_AT_ONCE) {
    const matters = await hidingMatters(db, asked, offset)
    if (matters.length === 0) break
    const cardIds = matters.map((matter) => matter.card_id)
    const wanted = await readAndNotTold(db, asked, cardIds)
    found.push(...matters.filter((matter) => wanted.has(matter.card_id)))
    if (matters.length < MATTERS_AT_ONCE) break
  }
  return found.slice(0, MOST_LOOKED_AT)
}

/** Cards of others that this person's agents have read, that are hidden now, and that this project was not told about. */
export async function withdrawnCards(db: Db, asked: Asked) {
  const matters = await hiddenAndRead(db, asked)
  if (matters.length === 0) return []
  const newest = new Map(matters.toReversed().map((row) => [row.card_id, row]))
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'title', 'workspace_id', 'hidden_at', 'version'])
    .where('card_id', 'in', [...newest.keys()])
    .where('hidden_at', 'is not', null)
    .orderBy('hidden_at', 'desc')
    .orderBy('card_id')
    .limit(asked.limit)
    .execute()
  return rows.map(({ version, ...row }) => {
    const matter = newest.get(row.card_id)
    const decided = matter?.decided_version ?? matter?.card_version ?? 0
    return { ...row, reason: matter?.reason ?? null, isChanged: version > decided }
  })
}

/** Returns the cards that nobody else has told in this project meanwhile. */
export async function keepTold(
  db: Db,
  { userId, projectKey, now }: { userId: string; projectKey: string; now: string },
  cardIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .insertInto('withdrawals_told')
    .values(cardIds.map((card_id) => ({ user_id: userId, card_id, project_key: projectKey, told_at: now })))
    .onConflict((oc) => oc.doNothing())
    .returning('card_id')
    .execute()
  return new Set(rows.map((row) => row.card_id))
}

/** Reads of a hidden card are kept longer, because some readers may not have been told yet. */
export async function dropReads(db: Db, before: string, hiddenBefore: string): Promise<void> {
  const hidden = await db
    .selectFrom('cards')
    .select('card_id')
    .where('hidden_at', '>=', hiddenBefore)
    .execute()
  const kept = textList(hidden.map((card) => card.card_id))
  await db
    .deleteFrom('card_reads')
    .where('last_at', '<', before)
    .where((eb) => eb.not(isAmongTexts(db, 'card_id', kept)))
    .execute()
  await db.deleteFrom('withdrawals_told').where('told_at', '<', hiddenBefore).execute()
}
