import type { Generated } from 'kysely'
import type { Licence } from '../../core/licences.ts'

export type CardType = 'debug_fix' | 'how_to' | 'lesson_learned' | 'decision' | 'reference'
export type CardStatus = 'unpublished' | 'published'
export type ReviewStatus = 'not_reviewed' | 'passed' | 'rejected'
export type FeedbackKind = 'useful' | 'not_applicable' | 'outdated'

export type CardsTable = {
  card_id: string
  owner_id: string
  workspace_id: string
  /** Where the card was recorded, and where unpublishing brings it back to. */
  origin_workspace_id: string
  card_type: CardType
  status: CardStatus
  version: number
  /** The version with which the card came into its workspace, set by a trigger; earlier ones are for its owner alone. */
  seen_from_version: Generated<number>
  /**
   * When the card came into its workspace, set by a trigger; comments from before are for its owner alone. Null: it
   * never moved.
   */
  seen_since: Generated<string | null>
  title: string
  /** Folded title, tags and the beginnings of symptom and fix: what the text filter of lists looks at. */
  filter_text: string
  tags: string
  environment: string
  evidence_count: Generated<number>
  feedback_useful: Generated<number>
  feedback_not_applicable: Generated<number>
  feedback_outdated: Generated<number>
  /** JSON, computed by features/trust; null where nobody has said anything. */
  trust: Generated<string | null>
  /** JSON, as the members of the private team that it was published from see it; null where that is `trust`. */
  team_trust: Generated<string | null>
  /** When somebody last said that it works. */
  confirmed_at: Generated<string | null>
  /** JSON, a list of what the card cites; null until it was read from the card. */
  cites: Generated<string | null>
  /** Somebody wrote the cites, so an edit leaves them alone. */
  cites_are_written: Generated<number>
  /** Its own interval of review; null where the workspace decides. */
  review_after_days: Generated<number | null>
  /** How it was recorded: by a person in the web app, or by an agent or a program; null where nobody noted it. */
  recorded_with: Generated<'session' | 'api_key' | 'oauth' | null>
  /** 1 while the card that has taken its place is deleted or hidden: a mark of its own, since that card may lie in another shard. */
  successor_gone: Generated<number>
  /** The card that took its place; search leaves it out then. */
  superseded_by: Generated<string | null>
  /** The event in its owner's memory that it was made from; nobody else sees it. */
  source_event_id: Generated<string | null>
  /** Which sample of the first steps it is; null for every card that somebody wrote. */
  sample: Generated<string | null>
  /** SHA-256 of what the present version says; set when it is published, see core/content-hash.ts. */
  content_hash: Generated<string | null>
  /** SPDX identifier; a version that has one keeps it, also when the card is taken back. */
  licence: Generated<Licence | null>
  /** When the present version came before other readers. */
  version_published_at: Generated<string | null>
  /** JSON, where the text was pulled from (features/library-sharing); null for what was written here. */
  origin: Generated<string | null>
  /** The server it was pulled from and its id there, to find it again at the next pull. */
  origin_key: Generated<string | null>
  review_status: Generated<ReviewStatus>
  review_score: number | null
  review_reasons: Generated<string>
  reviewed_at: string | null
  created_at: string
  /** The time of the last change of any kind. `edited_at` is the time of the present version. */
  updated_at: string
  edited_at: string
  edited_by: string
  edited_fields: string
  published_at: string | null
  deleted_at: string | null
  /** Since when moderators, or enough reports, hide it from all but its owner. */
  hidden_at: Generated<string | null>
  symptom: string
  fix_summary: string
  root_cause: string | null
  steps: string
  card_payload: string | null
  body: string | null
  scope_notes: string | null
}

/** One row per tag, for counting and filtering; `cards.tags` keeps the order. */
export type CardTagsTable = { card_id: string; tag: string; tag_normal: string }

/** Append-only: the database refuses a change, and a removal unless the card itself is deleted. */
export type CardEvidencesTable = {
  evidence_id: string
  card_id: string
  position: number
  kind: string
  content: string
  meta: string | null
  /** Kinds of secret found when it was written, or null for none. */
  secrets: string | null
  added_by: string
  added_in_version: number
  created_at: string
}

/** The former versions of a card; the present one is the card itself. Append-only like evidence. */
export type CardVersionsTable = {
  card_id: string
  version: number
  content: string
  edited_by: string
  edited_at: string
  edited_fields: string
  /** As in cards: set where this version was published. */
  content_hash: Generated<string | null>
  licence: Generated<Licence | null>
  published_at: Generated<string | null>
}

export type CardFeedbackTable = {
  feedback_id: string
  card_id: string
  user_id: string
  kind: FeedbackKind
  comment: string | null
  /** When this person's `useful` earned the contributor a credit; kept when the feedback changes. */
  rewarded_at: string | null
  /** When the owner of the card was mailed about it, or it was settled that no mail will go; null while that is open. */
  told_at: string | null
  created_at: string
  /** A feedback that was taken back counts nowhere; its row keeps what it has earned already. */
  withdrawn_at: string | null
}
