import { textsToRescan } from '../redaction/rescan.ts'

export const draftsToRescan = textsToRescan(
  'drafts',
  'card_drafts',
  'draft_id',
  ['project_key', 'session_id', 'client'],
  ['candidate'],
)
