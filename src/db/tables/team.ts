export type CardCommentsTable = {
  comment_id: string
  card_id: string
  /** To whose members it was said; the card may move on, the comment stays with them. */
  workspace_id: string
  user_id: string
  /** Markdown; `<@user_id>` mentions somebody. */
  body: string
  created_at: string
  edited_at: string | null
}

/** Searches of members among the cards of one team that found nothing: the words, and nobody's name. */
export type MissedSearchesTable = { workspace_id: string; words: string; times: number; last_at: string }

export type TeamTables = { card_comments: CardCommentsTable; missed_searches: MissedSearchesTable }
