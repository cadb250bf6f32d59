import type { OutputOf } from '#server/core/capability.ts'
import type {
  createComment as CreateComment,
  deleteComment as DeleteComment,
  editComment as EditComment,
  listComments as ListComments,
} from '#server/features/comments/comments.ts'
import { call } from './client.ts'

type CommentPage = OutputOf<typeof ListComments>
export type Comment = CommentPage['items'][number]

export const listComments = call<typeof ListComments>('GET /api/v1/cards/{card_id}/comments')
export const createComment = call<typeof CreateComment>('POST /api/v1/cards/{card_id}/comments')
export const editComment = call<typeof EditComment>('PATCH /api/v1/cards/{card_id}/comments/{comment_id}')
export const deleteComment = call<typeof DeleteComment>(
  'DELETE /api/v1/cards/{card_id}/comments/{comment_id}',
)
