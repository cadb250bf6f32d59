import type { Db } from '../../db/db.ts'

export type FirstStepFacts = {
  keys: number
  calls: number
  cards: number
  samples: number
  invites: number
  searched_at: string | null
  dismissed_at: string | null
}

/** Each fact is an existence check. Only the samples are counted; there are a few of them. */
export async function firstStepFacts(db: Db, userId: string): Promise<FirstStepFacts> {
  const keys = () => db.selectFrom('api_keys').select('key_id').where('user_id', '=', userId)
  const apps = () =>
    db
      .selectFrom('oauth_grants')
      .select('grant_id')
      .where('user_id', '=', userId)
      .where('activated_at', 'is not', null)
  const cards = () => db.selectFrom('cards').where('owner_id', '=', userId).where('deleted_at', 'is', null)
  const found = async (...queries: { executeTakeFirst: () => Promise<unknown> }[]): Promise<number> => {
    for (const query of queries) if ((await query.executeTakeFirst()) !== undefined) return 1
    return 0
  }
  const noted = await db
    .selectFrom('first_steps')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const { samples } = await cards()
    .select((eb) => eb.fn.countAll<number>().as('samples'))
    .where('sample', 'is not', null)
    .executeTakeFirstOrThrow()
  return {
    keys: await found(keys().limit(1), apps().limit(1)),
    calls: await found(
      keys().where('last_used_at', 'is not', null).limit(1),
      apps().where('last_used_at', 'is not', null).limit(1),
    ),
    cards: await found(cards().select('card_id').where('sample', 'is', null).limit(1)),
    invites: await found(invitesBy(db, userId), codesBy(db, userId), othersInTeamsOf(db, userId)),
    samples,
    searched_at: noted?.searched_at ?? null,
    dismissed_at: noted?.dismissed_at ?? null,
  }
}

const invitesBy = (db: Db, userId: string) =>
  db.selectFrom('workspace_invites').select('invite_id').where('invited_by', '=', userId).limit(1)

const codesBy = (db: Db, userId: string) =>
  db.selectFrom('billing_invites').select('invite_id').where('created_by', '=', userId).limit(1)

const othersInTeamsOf = (db: Db, userId: string) =>
  db
    .selectFrom('memberships as mine')
    .innerJoin('memberships as other', 'other.workspace_id', 'mine.workspace_id')
    .select('other.user_id')
    .where('mine.user_id', '=', userId)
    .where('mine.role', '=', 'admin')
    .where('other.user_id', '!=', userId)
    .limit(1)

type Note = { searched_at: string } | { dismissed_at: string }

export async function noteFirstStep(db: Db, userId: string, note: Note): Promise<void> {
  await db
    .insertInto('first_steps')
    .values({ user_id: userId, searched_at: null, dismissed_at: null, ...note })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(note))
    .execute()
}

export async function hasSearched(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('first_steps')
    .select('searched_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.searched_at != null
}

export type SampleRow = {
  card_id: string
  sample: string
  title: string
  version: number
  status: string
}

export async function sampleRows(db: Db, userId: string): Promise<SampleRow[]> {
  const rows = await db
    .selectFrom('cards')
    .select(['card_id', 'sample', 'title', 'version', 'status'])
    .where('owner_id', '=', userId)
    .where('sample', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.flatMap(({ sample, ...row }) => (sample === null ? [] : [{ ...row, sample }]))
}
