import { z } from 'zod'
import { AnswerId, Id, pageOf, Time } from '../../core/schemas.ts'
import { CardId } from '../cards/schemas.ts'
import { requiredText } from '../redaction/required-text.ts'

export const MAX_BODY = 10_000
export const MAX_MENTIONS = 20
/** The result of a longer conversation belongs in the card itself. */
export const MAX_COMMENTS = 500

const Body = requiredText(1, MAX_BODY).describe(
  `Markdown. <@user_id> mentions a member; at most ${MAX_MENTIONS}.`,
)

export const CommentCreate = z.object({ ...CardId.shape, body: Body }).meta({ id: 'CommentCreate' })

export const CommentRef = z.object({ ...CardId.shape, comment_id: Id })
export const CommentUpdate = CommentRef.extend({ body: Body }).meta({ id: 'CommentUpdate' })

const Mention = z.object({ user_id: AnswerId, display_name: z.string() }).meta({ id: 'CommentMention' })

export const CommentResponse = z
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

export type CommentAnswer = z.input<typeof CommentResponse>

export const CommentList = pageOf(CommentResponse)
  .extend({
    audience: z
      .object({ workspace_id: AnswerId, name: z.string() })
      .nullable()
      .describe('To whose members a new comment of yours would go; null where you cannot comment.'),
  })
  .meta({ id: 'CommentListResponse' })
