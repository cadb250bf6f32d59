import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { conflict, forbidden, invalid, notFound } from '../../core/errors.ts'
import { emit } from '../../core/events.ts'
import { AnswerId, Id, Page, pageOf, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardCommentsTable } from '../../db/knowledge-schema.ts'
import type { Role } from '../../db/schema.ts'
import { cleanText, Findings } from '../../redaction/redact.ts'
import { requiredText } from '../../redaction/required-text.ts'
import { mentionedIn } from '../../shared/mentions.ts'
import { tell, untellAny } from '../notices/index.ts'
import { countText, rowsOf, rowsOfCard, writeText } from '../storage/index.ts'
import { CardId } from './card.ts'
import type { CardRow } from './list.ts'
import { lockKeyOf, readableCard } from './store.ts'
import { mayRead } from './visibility.ts'

type Thread = { cardId: string; viewerId: string }

/** Matches comments in a workspace of the viewer, on a card of the viewer, or by the viewer. */
const shownOn = (db: Db, viewerId: string, cardIds: readonly string[]) =>
  db
    .selectFrom('card_comments')
    .innerJoin('cards', 'cards.card_id', 'card_comments.card_id')
    .where('card_comments.card_id', 'in', cardIds)
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

const shownTo = (db: Db, { cardId, viewerId }: Thread) => shownOn(db, viewerId, [cardId])

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

type CommentRow = CardCommentsTable & { user_name: string; my_role: Role | null }

const countComments = async (db: Db, thread: Thread): Promise<number> => {
  const { total } = await shownTo(db, thread)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

const listCommentsOf = (
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

const findComment = (db: Db, thread: Thread, commentId: string): Promise<CommentRow | undefined> =>
  selectShown(db, thread).where('card_comments.comment_id', '=', commentId).executeTakeFirst()

/** Authors may delete their comment even if they can no longer read the card. */
const isOwnComment = async (db: Db, { cardId, viewerId }: Thread, commentId: string): Promise<boolean> => {
  const row = await db
    .selectFrom('card_comments')
    .select('comment_id')
    .where('card_id', '=', cardId)
    .where('comment_id', '=', commentId)
    .where('user_id', '=', viewerId)
    .executeTakeFirst()
  return row !== undefined
}

/** Counts comments that the viewer cannot read too, because the limit applies to the card. */
async function commentsOn(db: Db, cardId: string): Promise<number> {
  const { total } = await db
    .selectFrom('card_comments')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return total
}

async function insertComment(db: Db, row: CardCommentsTable): Promise<void> {
  await db.insertInto('card_comments').values(row).execute()
}

async function changeComment(
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

const removeComment = (db: Db, cardId: string, commentId: string) =>
  countText(db, [rowsOfCard('card_comments', cardId, 'comment_id', commentId)], () =>
    db
      .deleteFrom('card_comments')
      .where('card_id', '=', cardId)
      .where('comment_id', '=', commentId)
      .returning(['card_id', 'body'])
      .execute(),
  )

const removeCommentsOf = (db: Db, userId: string) =>
  countText(db, [rowsOf('card_comments', { user_id: userId })], () =>
    db.deleteFrom('card_comments').where('user_id', '=', userId).returning(['card_id', 'body']).execute(),
  )

async function leftOn(db: Db, cardId: string) {
  const left = db.selectFrom('card_comments').where('card_id', '=', cardId)
  const speakers = await left.select('user_id').distinct().execute()
  const mentioning = await left.select(['user_id', 'body']).where('body', 'like', '%<@%').execute()
  return { speakers: speakers.map((row) => row.user_id), mentioning }
}

const ownerOf = (db: Db, cardId: string) =>
  db.selectFrom('cards').select('owner_id').where('card_id', '=', cardId).executeTakeFirst()

type Audience = { workspace_id: string; name: string }

const workspacesAmong = (db: Db, userId: string, workspaceIds: readonly string[]): Promise<Audience[]> =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'memberships.workspace_id')
    .select(['workspaces.workspace_id', 'workspaces.name'])
    .where('memberships.user_id', '=', userId)
    .where('workspaces.workspace_id', 'in', workspaceIds)
    .execute()

async function membersAmong(db: Db, workspaceId: string, userIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', 'in', userIds)
    .execute()
  return rows.map((row) => row.user_id)
}

async function mayReadCard(db: Db, cardId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('cards')
    .select('card_id')
    .where('card_id', '=', cardId)
    .where(mayRead(userId))
    .executeTakeFirst()
  return row !== undefined
}

const namesOf = (db: Db, userIds: readonly string[]) =>
  db.selectFrom('users').select(['user_id', 'display_name']).where('user_id', 'in', userIds).execute()

async function speakersIn(
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

export const MAX_BODY = 10_000
export const MAX_MENTIONS = 20
export const MAX_COMMENTS = 500

const Body = requiredText(1, MAX_BODY).describe(
  `Markdown. <@user_id> mentions a member; at most ${MAX_MENTIONS}.`,
)

const CommentCreate = z.object({ ...CardId.shape, body: Body }).meta({ id: 'CommentCreate' })

const CommentRef = z.object({ ...CardId.shape, comment_id: Id })
const CommentUpdate = CommentRef.extend({
  body: Body,
  expected_edited_at: z
    .string()
    .max(40)
    .meta({ format: 'date-time' })
    .nullable()
    .optional()
    .describe('The edited_at that you have read; a comment changed since answers 409 comment_changed.'),
}).meta({ id: 'CommentUpdate' })

const Mention = z.object({ user_id: AnswerId, display_name: z.string() }).meta({ id: 'CommentMention' })

const CommentResponse = z
  .object({
    comment_id: AnswerId,
    card_id: AnswerId,
    workspace_id: AnswerId.describe('Its members read the comment.'),
    user_id: AnswerId,
    user_name: z.string(),
    body: z.string(),
    mentions: z.array(Mention).describe('The person behind each <@user_id> in the body'),
    can_edit: z.boolean(),
    can_delete: z.boolean(),
    created_at: Time,
    edited_at: Time.nullable(),
  })
  .meta({ id: 'CommentResponse' })

type CommentAnswer = z.input<typeof CommentResponse>

const CommentList = pageOf(CommentResponse)
  .extend({
    audience: z
      .object({ workspace_id: AnswerId, name: z.string() })
      .nullable()
      .describe('To whose members a new comment of yours would go; null where you cannot comment.'),
  })
  .meta({ id: 'CommentListResponse' })

const MAX_NOTICES = 20

async function audienceOf(ctx: UserCtx, card: CardRow): Promise<Audience | null> {
  const ids = [card.workspace_id, card.origin_workspace_id]
  const mine = await workspacesAmong(ctx.db, ctx.viewer.userId, ids)
  return mine.find((one) => one.workspace_id === card.workspace_id) ?? mine[0] ?? null
}

async function requireAudience(ctx: UserCtx, card: CardRow): Promise<Audience> {
  const audience = await audienceOf(ctx, card)
  if (!audience)
    throw forbidden(
      'Comments are for members of the card’s workspace. Use feedback to say whether it helped.',
    )
  return audience
}

type Mentioning = { cardId: string; workspaceId: string; body: string; former?: string }

async function requireReaders(
  ctx: UserCtx,
  { cardId, workspaceId, body, former = '' }: Mentioning,
): Promise<string[]> {
  const all = mentionedIn(body)
  if (all.length > MAX_MENTIONS) throw invalid('body', `A comment mentions at most ${MAX_MENTIONS} people`)
  const before = new Set(mentionedIn(former))
  const ids = all.filter((id) => !before.has(id))
  if (ids.length === 0) return []
  const known = new Set(await membersAmong(ctx.db, workspaceId, ids))
  for (const id of ids)
    if (!known.has(id) || !(await mayReadCard(ctx.db, cardId, id)))
      throw invalid('body', `<@${id}> is not a member who can read this card`)
  return ids
}

type Mentioned = { cardId: string; commentId: string; mentioned: readonly string[] }

async function tellMentioned(ctx: UserCtx, { cardId, commentId, mentioned }: Mentioned): Promise<void> {
  const details = { comment_id: commentId }
  for (const userId of mentioned)
    if (userId !== ctx.viewer.userId)
      await tell(ctx, { userId, kind: 'card.mentioned', subjectId: cardId, details })
}

type Said = { card: CardRow; workspaceId: string; commentId: string; mentioned: readonly string[] }

async function tellAudience(ctx: UserCtx, said: Said): Promise<void> {
  const { card, workspaceId, commentId, mentioned } = said
  const { card_id: cardId, owner_id: ownerId } = card
  await tellMentioned(ctx, { cardId, commentId, mentioned })
  const speakers = await speakersIn(ctx.db, { cardId, workspaceId, limit: MAX_NOTICES })
  const members = await membersAmong(ctx.db, workspaceId, [ownerId, ...speakers])
  // The owner of a card that was published from there need not be a member.
  const others = new Set(card.owner_deleted_at === null ? [ownerId, ...members] : members)
  for (const userId of others) {
    const knows = userId === ctx.viewer.userId || mentioned.includes(userId)
    if (!knows && (await mayReadCard(ctx.db, cardId, userId)))
      await tell(ctx, {
        userId,
        kind: 'card.commented',
        subjectId: cardId,
        details: { comment_id: commentId },
      })
  }
}

type Removed = { card_id: string; body: string }

/** Deletes an unread notice if no comment of other people is left for it. */
async function untellAbout(ctx: Ctx, cardId: string, bodies: readonly string[]): Promise<void> {
  const { speakers, mentioning } = await leftOn(ctx.db, cardId)
  const stillMentions = (userId: string) =>
    mentioning.some((left) => left.user_id !== userId && mentionedIn(left.body).includes(userId))
  for (const userId of new Set(bodies.flatMap(mentionedIn)))
    if (!stillMentions(userId)) await untellAny(ctx, { userId, kind: 'card.mentioned', subjectId: cardId })
  const owner = await ownerOf(ctx.db, cardId)
  for (const userId of new Set([...(owner ? [owner.owner_id] : []), ...speakers]))
    if (speakers.every((one) => one === userId))
      await untellAny(ctx, { userId, kind: 'card.commented', subjectId: cardId })
}

/** Updates notices after comments were removed. Call it in the same transaction. */
async function commentsAreGone(ctx: Ctx, removed: readonly Removed[]): Promise<void> {
  for (const [cardId, rows] of Map.groupBy(removed, (row) => row.card_id))
    await untellAbout(
      ctx,
      cardId,
      rows.map((row) => row.body),
    )
}

export const forgetComments = async (ctx: Ctx, userId: string): Promise<void> =>
  commentsAreGone(ctx, await removeCommentsOf(ctx.db, userId))

/** Presents comments. Names are read each time, because a deleted user has none. */
async function present(ctx: UserCtx, rows: readonly CommentRow[]): Promise<CommentAnswer[]> {
  const ids = [...new Set(rows.flatMap((row) => mentionedIn(row.body)))]
  const people = new Map(
    ids.length > 0 ? (await namesOf(ctx.db, ids)).map((one) => [one.user_id, one.display_name]) : [],
  )
  return rows.map((row) => {
    const isOwn = row.user_id === ctx.viewer.userId
    return {
      ...row,
      mentions: mentionedIn(row.body).map((user_id) => ({
        user_id,
        display_name: people.get(user_id) ?? 'somebody',
      })),
      can_edit: isOwn && row.my_role !== null,
      can_delete: isOwn || row.my_role === 'admin',
    }
  })
}

/** Returns the texts of these comments that the viewer may read now, with names in the place of mentions. */
export async function commentTexts(
  ctx: UserCtx,
  asked: readonly { cardId: string; commentId: string }[],
): Promise<Map<string, string>> {
  if (asked.length === 0) return new Map()
  const cardIds = [...new Set(asked.map(({ cardId }) => cardId))]
  const rows = await shownOn(ctx.db, ctx.viewer.userId, cardIds)
    .select(['card_comments.comment_id', 'card_comments.body'])
    .where(
      'card_comments.comment_id',
      'in',
      asked.map(({ commentId }) => commentId),
    )
    .execute()
  const people = [...new Set(rows.flatMap(({ body }) => mentionedIn(body)))]
  const names = people.length > 0 ? await namesOf(ctx.db, people) : []
  return new Map(
    rows.map(({ comment_id, body }) => [
      comment_id,
      names.reduce((text, one) => text.replaceAll(`<@${one.user_id}>`, `@${one.display_name}`), body),
    ]),
  )
}

const threadOf = (ctx: UserCtx, cardId: string) => ({ cardId, viewerId: ctx.viewer.userId })

async function requireComment(ctx: UserCtx, cardId: string, commentId: string): Promise<CommentRow> {
  const row = await findComment(ctx.db, threadOf(ctx, cardId), commentId)
  if (!row) throw notFound('Comment')
  return row
}

async function shown(ctx: UserCtx, cardId: string, commentId: string): Promise<CommentAnswer> {
  const [answer] = await present(ctx, [await requireComment(ctx, cardId, commentId)])
  if (!answer) throw notFound('Comment')
  return answer
}

const WHO_READS =
  'A comment is for the members of the workspace that the card is in, or that it was published from, and for the owner of the card. Readers of the library neither see nor write comments.'

export const listComments = capability({
  name: 'comments.list',
  summary: 'The comments on a card, oldest first',
  description: WHO_READS,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/comments'],
  input: CardId.extend(Page),
  output: CommentList,
  errors: [404],
  run: async (ctx, { card_id, page, page_size }) => {
    const card = await readableCard(ctx, card_id)
    const thread = threadOf(ctx, card_id)
    const rows = await listCommentsOf(ctx.db, thread, {
      limit: page_size,
      offset: (page - 1) * page_size,
    })
    const total = await countComments(ctx.db, thread)
    return {
      items: await present(ctx, rows),
      total,
      page,
      page_size,
      audience: await audienceOf(ctx, card),
    }
  },
})

export const createComment = capability({
  name: 'comments.create',
  summary: 'Comment on a card',
  description: `${WHO_READS} Mentioned people, the owner and earlier speakers get a notice in their inbox. Secrets are replaced by placeholders. At most ${MAX_COMMENTS} on a card.`,
  scopes: ['record'],
  rest: ['POST /api/v1/cards/{card_id}/comments'],
  status: 201,
  input: CommentCreate,
  output: CommentResponse,
  errors: [404, 409],
  run: (ctx, { card_id, body: given }) => {
    const body = cleanText(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const card = await readableCard(ctx, card_id)
      await lockKeyOf(ctx, card_id)
      const { workspace_id } = await requireAudience(ctx, card)
      const mentioned = await requireReaders(ctx, { cardId: card_id, workspaceId: workspace_id, body })
      if ((await commentsOn(ctx.db, card_id)) >= MAX_COMMENTS)
        throw conflict(
          'thread_full',
          `This card has ${MAX_COMMENTS} comments. Write into the card what was agreed, and delete some.`,
        )
      const comment_id = newId()
      const created_at = ctx.now().toISOString()
      const user_id = ctx.viewer.userId
      await tellAudience(ctx, { card, workspaceId: workspace_id, commentId: comment_id, mentioned })
      const row = { comment_id, card_id, workspace_id, user_id, body, created_at, edited_at: null }
      await writeText(ctx, [rowsOfCard('card_comments', card_id, 'comment_id', comment_id)], () =>
        insertComment(ctx.db, row),
      )
      return shown(ctx, card_id, comment_id)
    })
  },
})

export const editComment = capability({
  name: 'comments.edit',
  summary: 'Change your comment',
  description: 'By its author, while a member. People who are newly mentioned get a notice.',
  scopes: ['record'],
  rest: ['PATCH /api/v1/cards/{card_id}/comments/{comment_id}'],
  input: CommentUpdate,
  output: CommentResponse,
  errors: [404, 409],
  run: (ctx, { card_id, comment_id, body: given, expected_edited_at: expected }) => {
    const body = cleanText(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const row = await requireComment(ctx, card_id, comment_id)
      if (row.user_id !== ctx.viewer.userId) throw forbidden('Only its author may change a comment.')
      if (row.my_role === null)
        throw forbidden('You are no longer a member there. You can delete your comment.')
      const about = { cardId: card_id, workspaceId: row.workspace_id }
      const mentioned = await requireReaders(ctx, { ...about, body, former: row.body })
      if (expected !== undefined && expected !== row.edited_at && body !== row.body)
        throw conflict(
          'comment_changed',
          'This comment was changed since you opened it. Nothing was saved over it; save again to replace it.',
          { edited_at: row.edited_at, body: row.body },
        )
      if (body !== row.body) {
        await writeText(ctx, [rowsOfCard('card_comments', card_id, 'comment_id', comment_id)], () =>
          changeComment(ctx.db, { ...row, body, edited_at: ctx.now().toISOString() }),
        )
        await tellMentioned(ctx, { cardId: card_id, commentId: comment_id, mentioned })
      }
      return shown(ctx, card_id, comment_id)
    })
  },
})

export const deleteComment = capability({
  name: 'comments.delete',
  summary: 'Delete a comment',
  description:
    'By its author, or by an admin of the workspace of the comment. For good; unread notices of it go too, unless other comments are a reason for them.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/cards/{card_id}/comments/{comment_id}'],
  status: 204,
  input: CommentRef,
  output: z.void(),
  errors: [404],
  run: (ctx, { card_id, comment_id }) =>
    inTx(ctx, async (ctx) => {
      if (!(await isOwnComment(ctx.db, threadOf(ctx, card_id), comment_id))) {
        const row = await requireComment(ctx, card_id, comment_id)
        if (row.my_role !== 'admin')
          throw forbidden('Only its author, and admins of the workspace, may delete a comment.')
        await emit(ctx, 'comment.deleted_by_admin', {
          cardId: card_id,
          workspaceId: row.workspace_id,
          commentId: comment_id,
          authorId: row.user_id,
        })
      }
      await commentsAreGone(ctx, await removeComment(ctx.db, card_id, comment_id))
    }),
})
