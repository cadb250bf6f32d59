import type { Db } from '../../db/db.ts'
import type { CardCommentsTable } from '../../db/tables/team.ts'
import type { Role } from '../../db/tables/workspaces.ts'
import { mayRead } from '../cards/visibility.ts'
import { countText, rowsOf, rowsOfCard } from '../storage/text-usage.ts'

type Thread = { cardId: string; viewerId: string }

/** Comments in a workspace of the viewer, on a card of the viewer, or by the viewer. */
const shownTo = (db: Db, { cardId, viewerId }: Thread) =>
  db
    .selectFrom('card_comments')
    .innerJoin('cards', 'cards.card_id', 'card_comments.card_id')
    .where('card_comments.card_id', '=', cardId)
    .where(mayRead(viewerId))
    .where((eb) =>
      eb.or([
        eb('card_comments.user_id', '=', viewerId),
        eb('cards.owner_id', '=', viewerId),
        eb(
          'card_comments.workspace_id',
          'in',
          eb
            .selectFrom('memberships')
            .select('memberships.workspace_id')
            .where('memberships.user_id', '=', viewerId),
        ),
      ]),
    )

/** With the viewer's role in the workspace of the comment. */
const selectShown = (db: Db, thread: Thread) =>
  shownTo(db, thread)
    .innerJoin('users', 'users.user_id', 'card_comments.user_id')
    .leftJoin('memberships as mine', (join) =>
      join
        .onRef('mine.workspace_id', '=', 'card_comments.workspace_id')
        .on('mine.user_id', '=', thread.viewerId),
    )
    .selectAll('card_comments')
    .select(['users.display_name as user_name', 'mine.role as my_role'])

export type CommentRow = CardCommentsTable & { user_name: string; my_role: Role | null }

export const countComments = async (db: Db, thread: Thread): Promise<number> => {
  const { total } = await shownTo(db, thread)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** In the order of a conversation: oldest first. */
export const listCommentsOf = (
  db: Db,
  thread: Thread,
  { limit, offset }: { limit: number; offset: number },
): Promise<CommentRow[]> =>
  selectShown(db, thread)
    .orderBy('card_comments.created_at')
    .orderBy('card_comments.comment_id')
    .limit(limit)
    .offset(offset)
    .execute()

export const findComment = (db: Db, thread: Thread, commentId: string): Promise<CommentRow | undefined> =>
  selectShown(db, thread).where('card_comments.comment_id', '=', commentId).executeTakeFirst()

/** Authors find their own comment even if they can no longer read the card, so that they can delete it. */
export const isOwnComment = async (
  db: Db,
  { cardId, viewerId }: Thread,
  commentId: string,
): Promise<boolean> => {
  const row = await db
    .selectFrom('card_comments')
    .select('comment_id')
    .where('card_id', '=', cardId)
    .where('comment_id', '=', commentId)
    .where('user_id', '=', viewerId)
    .executeTakeFirst()
  return row !== undefined
}

/** Counts all comments of the card, whoever may read them: the limit is the card's. */
export async function commentsOn(db: Db, cardId: string): Promise<number> {
  const { total } = await db
    .selectFrom('card_comments')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return total
}

export async function insertComment(db: Db, row: CardCommentsTable): Promise<void> {
  await db.insertInto('card_comments').values(row).execute()
}

export async function changeComment(
  db: Db,
  { card_id, comment_id, body, edited_at }: CardCommentsTable,
): Promise<void> {
  await db
    .updateTable('card_comments')
    .set({ body, edited_at })
    .where('card_id', '=', card_id)
    .where('comment_id', '=', comment_id)
    .execute()
}

export const removeComment = (db: Db, cardId: string, commentId: string) =>
  countText(db, [rowsOfCard('card_comments', cardId, 'comment_id', commentId)], () =>
    db
      .deleteFrom('card_comments')
      .where('card_id', '=', cardId)
      .where('comment_id', '=', commentId)
      .returning(['card_id', 'body'])
      .execute(),
  )

export const removeCommentsOf = (db: Db, userId: string) =>
  countText(db, [rowsOf('card_comments', { user_id: userId })], () =>
    db.deleteFrom('card_comments').where('user_id', '=', userId).returning(['card_id', 'body']).execute(),
  )

/** Everybody who has commented on a card, and the comments that mention somebody. */
export async function leftOn(db: Db, cardId: string) {
  const left = db.selectFrom('card_comments').where('card_id', '=', cardId)
  const speakers = await left.select('user_id').distinct().execute()
  const mentioning = await left.select(['user_id', 'body']).where('body', 'like', '%<@%').execute()
  return { speakers: speakers.map((row) => row.user_id), mentioning }
}

export const ownerOf = (db: Db, cardId: string) =>
  db.selectFrom('cards').select('owner_id').where('card_id', '=', cardId).executeTakeFirst()

export type Audience = { workspace_id: string; name: string }

/** Those of the workspaces that somebody is a member of. */
export const workspacesAmong = (
  db: Db,
  userId: string,
  workspaceIds: readonly string[],
): Promise<Audience[]> =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name'])
    .where('memberships.user_id', '=', userId)
    .where('workspaces.workspace_id', 'in', workspaceIds)
    .execute()

/** Which of these people are members of the workspace. */
export async function membersAmong(
  db: Db,
  workspaceId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', 'in', userIds)
    .execute()
  return rows.map((row) => row.user_id)
}

export async function mayReadCard(db: Db, cardId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('cards')
    .select('card_id')
    .where('card_id', '=', cardId)
    .where(mayRead(userId))
    .executeTakeFirst()
  return row !== undefined
}

export const namesOf = (db: Db, userIds: readonly string[]) =>
  db.selectFrom('users').select(['user_id', 'display_name']).where('user_id', 'in', userIds).execute()

/** Who has commented in the thread of a workspace, the latest first. */
export async function speakersIn(
  db: Db,
  { cardId, workspaceId, limit }: { cardId: string; workspaceId: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('card_comments')
    .select(['user_id', (eb) => eb.fn.max('created_at').as('last_at')])
    .where('card_id', '=', cardId)
    .where('workspace_id', '=', workspaceId)
    .groupBy('user_id')
    .orderBy('last_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.user_id)
}
