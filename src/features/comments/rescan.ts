import { textsToRescan } from '../redaction/rescan.ts'

export const cardCommentsToRescan = textsToRescan('comments on cards', 'card_comments', 'comment_id', [
  'body',
])
