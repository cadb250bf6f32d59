import { textsToRescan } from '../redaction/rescan.ts'

export const commentsToRescan = textsToRescan('feedback comments', 'card_feedback', 'feedback_id', [
  'comment',
])
