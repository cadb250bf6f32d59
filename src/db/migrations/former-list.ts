import { initial } from './0001-initial.ts'

/** The migrations that `initial` replaces, in the order in which they were applied. */
export const FORMER_LIST: readonly string[] = `
  0001-foundation 0002-workspaces 0003-cards 0004-search 0005-memory 0006-billing 0007-support
  0008-oauth 0009-scale 0010-rewards 0011-postings 0012-memory-index 0013-memory-owner 0014-live-cards
  0015-own-rows 0022-notices 0019-taking-back 0020-email-changes 0024-visible-counts
  0025-rewarded-texts 0026-reviews-and-comments 0029-verdicts 0030-card-links 0031-known-addresses
  0016-real-settings 0017-searched-evidence 0032-recall 0033-mining 0034-sharing-and-one-box
  0035-card-images 0036-team 0037-first-five-minutes 0038-list-changes 0039-hidden-cards
  0040-moderation 0041-provenance 0043-keys-for-shards 0044-matters-by-workspace 0045-told-to-strangers
  0046-consents-and-invitations 0047-left-addresses 0048-disputes 0049-normal-tags 0050-own-feedback
  0051-one-unread-notice 0052-plain-letters 0053-mails-by-recipient 0054-published-from
  0055-refunds-are-not-spent 0056-standing-verdicts 0057-deleted-accounts 0058-open-matters
  0059-decided-by-service 0060-links-of-person 0061-room-for-counts 0062-text-usage 0063-team-trust
  0064-server-secret
`
  .trim()
  .split(/\s+/)

const [FIRST = ''] = FORMER_LIST
const LAST = FORMER_LIST.at(-1)

const IN_DATABASE = `The database was left by an early version of this program, before its migration ${LAST}. Start the last version that has this migration once, then start this one.`

export const IN_BACKUP = `The backup was taken by an early version of this program, before its migration ${LAST}. Restore it with the last version that has this migration, start that version once, and take a new backup.`

/** The schema is older than this program can read or upgrade. */
export class SchemaTooOld extends Error {
  override readonly name = 'SchemaTooOld'
}

export const beginsFormerList = (recorded: ReadonlySet<string>): boolean => recorded.has(FIRST)

/**
 * Returns the recorded migrations in the present names: the whole former list stands for `initial`. A part of that list is
 * refused with `refusal`.
 */
export function presentNames(recorded: ReadonlySet<string>, refusal = IN_DATABASE): Set<string> {
  if (!beginsFormerList(recorded)) return new Set(recorded)
  if (!FORMER_LIST.every((name) => recorded.has(name))) throw new SchemaTooOld(refusal)
  return new Set([initial.name, ...recorded]).difference(new Set(FORMER_LIST))
}
