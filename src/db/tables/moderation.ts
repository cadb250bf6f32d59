type Flag = 0 | 1

export type ReportKind = 'dangerous' | 'instructions' | 'secret' | 'personal' | 'wrong' | 'spam' | 'other'
export type ModerationDecision = 'keep' | 'hide' | 'remove'
export type ModerationStatus = 'open' | 'decided' | 'appealed'

/** Something for moderators to decide, or their decision. A card has at most one undecided matter in each workspace. */
export type ModerationMattersTable = {
  matter_id: string
  /** The card may be gone by now. */
  card_id: string
  owner_id: string
  /** Where the card was, or where it would be published. It determines who may decide. */
  workspace_id: string
  /** `blocked`: the review refused it, and the owner asks moderators to look. */
  cause: 'reports' | 'blocked'
  status: ModerationStatus
  /** Grows with each decision and appeal, and when reports hide the card. A decision must name the revision that the moderator has read. */
  revision: number
  card_version: number
  /** Reports alone have hidden it, until a moderator looks. */
  hidden_by_reports: Flag
  ask_note: string | null
  decision: ModerationDecision | null
  reason: string | null
  decided_by: string | null
  decided_at: string | null
  decided_version: number | null
  /** A moderator of the service has decided where strangers read. Admins of the workspace do not change that. */
  decided_by_service: Flag
  /** The owner has not appealed against the current decision yet. */
  can_appeal: Flag
  appeal_note: string | null
  appealed_at: string | null
  /** Strangers could read the workspace when the card was last reported, asked about or decided about. */
  was_open: Flag
  created_at: string
  updated_at: string
}

export type CardReportsTable = {
  report_id: string
  card_id: string
  matter_id: string
  /** Null: nobody was signed in, or the person has left. */
  user_id: string | null
  /** Each key has one report for a card: a user id, or a keyed hash of an IP address. */
  reporter_key: string
  kind: ReportKind
  note: string | null
  card_version: number
  created_at: string
}

export type PublishingBansTable = {
  ban_id: string
  user_id: string
  /** A keyed hash of the e-mail address, if it was proven, so that a new account with the same address is banned too. */
  email_hash: string | null
  /** Null: in the library and every public or unlisted workspace. */
  workspace_id: string | null
  matter_id: string
  reason: string
  /** This and `lifted_by` are read by nobody here: the audit log shows the same, as the actors of `publisher.*`. */
  banned_by: string
  created_at: string
  lifted_by: string | null
  lifted_at: string | null
  lift_reason: string | null
}

export type CardReadsTable = { user_id: string; card_id: string; last_at: string }

export type WithdrawalsToldTable = {
  user_id: string
  card_id: string
  project_key: string
  told_at: string
}

export type ModerationTables = {
  moderation_matters: ModerationMattersTable
  card_reports: CardReportsTable
  publishing_bans: PublishingBansTable
  card_reads: CardReadsTable
  withdrawals_told: WithdrawalsToldTable
}
