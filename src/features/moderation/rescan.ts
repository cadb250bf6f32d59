import { textsToRescan } from '../redaction/rescan.ts'

export const reportsToRescan = textsToRescan('reports of cards', 'card_reports', 'report_id', ['note'])

/** What owners and moderators wrote to each other. */
export const mattersToRescan = textsToRescan('moderation', 'moderation_matters', 'matter_id', [
  'ask_note',
  'reason',
  'appeal_note',
])

/** Reasons of bans, which the banned person reads. */
export const bansToRescan = textsToRescan('bans', 'publishing_bans', 'ban_id', ['reason', 'lift_reason'])
