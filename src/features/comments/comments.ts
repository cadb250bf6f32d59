import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, forbidden, notFound } from '../../core/errors.ts'
import { Page } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import { audit } from '../audit/audit.ts'
import { readableCard } from '../cards/access.ts'
import { holdKeyOf } from '../cards/hold-card.ts'
import { CardId } from '../cards/schemas.ts'
import { cleanText, Findings } from '../redaction/stored.ts'
import { rowsOfCard, writeText } from '../storage/text-usage.ts'
import { audienceOf, requireAudience, requireReaders, tellAudience, tellMentioned } from './audience.ts'
import {
  type CommentRow,
  changeComment,
  commentsOn,
  countComments,
  findComment,
  insertComment,
  isOwnComment,
  listCommentsOf,
  namesOf,
  removeComment,
} from './comments.store.ts'
import { commentsAreGone } from './forget.ts'
import { mentionedIn } from './mentions.ts'
import {
  type CommentAnswer,
  CommentCreate,
  CommentList,
  CommentRef,
  CommentResponse,
  CommentUpdate,
  MAX_COMMENTS,
} from './schemas.ts'

/** Names are looked up on each read: a person who has deleted their account has none. */
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
      await holdKeyOf(ctx, card_id)
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
      await tellAudience(ctx, { card, workspaceId: workspace_id, mentioned })
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
  errors: [404],
  run: (ctx, { card_id, comment_id, body: given }) => {
    const body = cleanText(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const row = await requireComment(ctx, card_id, comment_id)
      if (row.user_id !== ctx.viewer.userId) throw forbidden('Only its author may change a comment.')
      if (row.my_role === null)
        throw forbidden('You are no longer a member there. You can delete your comment.')
      const about = { cardId: card_id, workspaceId: row.workspace_id }
      const mentioned = await requireReaders(ctx, { ...about, body, former: row.body })
      if (body !== row.body) {
        await writeText(ctx, [rowsOfCard('card_comments', card_id, 'comment_id', comment_id)], () =>
          changeComment(ctx.db, { ...row, body, edited_at: ctx.now().toISOString() }),
        )
        await tellMentioned(ctx, card_id, mentioned)
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
        await audit(ctx, {
          action: 'comment.deleted',
          subject: { type: 'card', id: card_id },
          workspaceId: row.workspace_id,
          details: { comment_id, author_id: row.user_id },
        })
      }
      await commentsAreGone(ctx, await removeComment(ctx.db, card_id, comment_id))
    }),
})
