export type DraftStatus = 'open' | 'accepted' | 'dismissed'

/** A card that was found in somebody's own work. Nobody but them sees it, and no search finds it. */
export type CardDraftsTable = {
  draft_id: string
  user_id: string
  status: DraftStatus
  /** Of the error: the same one has one draft. */
  signature: string
  /** The failing command, its cure and both outputs, as JSON; secrets are replaced. */
  candidate: string
  project_key: string | null
  session_id: string | null
  client: string | null
  /** A card that may say the same. It is shown only while its reader may read it. */
  looks_like: string | null
  /** The card that it became, or the card that got a verdict. */
  card_id: string | null
  created_at: string
  expires_at: string
  decided_at: string | null
}

/** A session that got a turn since it was last looked through. */
export type MiningDueTable = {
  user_id: string
  project_id: string
  session_id: string
  marked_at: string
}

/** A failing command that succeeded in the end; within a session an error counts once. */
export type RecoveriesTable = {
  recovery_id: string
  user_id: string
  project_key: string
  session_id: string
  signature: string
  /** How often the command failed until it succeeded. */
  attempts: number
  /** Something was changed in between that can have cured it. */
  is_lesson: number
  created_at: string
}
