/** What a person is told: a row in their inbox. */
export type NoticesTable = {
  notice_id: string
  user_id: string
  kind: string
  /** Who caused it. */
  actor_id: string | null
  workspace_id: string | null
  /** What else it is about, such as an invitation. */
  subject_id: string | null
  /** Names as they were then, as JSON: a name that changes later is not this person's to see. */
  details: string
  created_at: string
  read_at: string | null
}
