import type { Generated } from 'kysely'
import type { Licence } from '../shared/licences.ts'

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

export type CardImagesTable = {
  image_id: string
  /** Null until a card of the uploader names it. */
  card_id: string | null
  uploaded_by: string
  media_type: string
  width: number
  height: number
  size_bytes: number
  sha256: string
  created_at: string
}

/** The bytes of a picture in order, as base64. */
export type CardImagePartsTable = {
  image_id: string
  part: number
  content: string
}

export type LinkKind = 'supersedes' | 'duplicates' | 'contradicts' | 'related'

export type CardLinksTable = {
  link_id: string
  from_card_id: string
  to_card_id: string
  kind: LinkKind
  why: string | null
  /** Null where the program found it by itself. */
  created_by: string | null
  created_at: string
}

/** A card that was merged into another. Undoing takes the row away: the card itself and all that was said of it stayed. */
export type CardMergesTable = {
  from_card_id: string
  into_card_id: string
  /** Read by nobody here: the audit log shows people the same, as the actor of `card.merged`. */
  merged_by: string
  why: string | null
  created_at: string
}

export type VerdictOutcome = 'worked' | 'failed' | 'stale' | 'withdrawn'
/** What the judge was to the owner of the card when the verdict was given. */
export type Closeness = 'owner' | 'team' | 'stranger'

/**
 * Append-only: what somebody says now is their last row for the card, its version and the environment. A removal is
 * possible only together with the card.
 */
export type CardVerdictsTable = {
  verdict_id: string
  card_id: string
  user_id: string
  /** Of the card, when the verdict was given; a card does not change its owner. */
  owner_id: string
  card_version: number
  outcome: VerdictOutcome
  environment: string
  /** The environment in one spelling, so that the same one is known again. */
  environment_key: string
  closeness: Closeness
  /** Which of the owner's cards this is, in the order in which the person judged them. */
  nth_of_owner: number
  /** It earned the contributor a credit. */
  is_rewarded: number
  evidence: string | null
  note: string | null
  applied_in: string | null
  created_at: string
}

/** Cards whose trust must be computed again because of a judgement of another card. */
export type TrustDueTable = { card_id: string }

/** Keys by which this server signs snapshots of its library. Those that are out of use stay listed. */
export type SigningKeysTable = {
  /** SHA-256 of the public key's 32 bytes, in hexadecimal. */
  key_id: string
  /** The 32 bytes as base64url. */
  public_key: string
  /** PKCS #8 as base64, sealed with the server secret. */
  private_key: string
  created_at: string
  retired_at: string | null
}

/** A snapshot of the library: while it is made `made_at` is null. */
export type LibrarySnapshotsTable = {
  snapshot_id: string
  key_id: string
  started_at: string
  /** Until then nobody else makes one. */
  claimed_until: string
  made_at: string | null
  cards: number
  size_bytes: number
  /** The hash that ends the chain. */
  head: string | null
}

/** The compressed bytes of a snapshot in order, as base64. */
export type LibrarySnapshotPartsTable = { snapshot_id: string; part: number; content: string }

export type LibraryTables = {
  signing_keys: SigningKeysTable
  library_snapshots: LibrarySnapshotsTable
  library_snapshot_parts: LibrarySnapshotPartsTable
}

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

export type RecallMoment = 'failure' | 'prompt' | 'start' | 'compact'
export type RecalledKind = 'card' | 'fact' | 'event'

/** A row for every call of recall, silent or not. */
export type RecallCallsTable = {
  call_id: string
  user_id: string
  /** In its canonical form; null where none was named. */
  project_key: string | null
  session_id: string | null
  client: string | null
  moment: RecallMoment
  /** Of the telling lines of a failure: the same error has the same one each time. */
  signature: string | null
  is_silent: number
  reason: string
  /** How long the text was that the agent got. */
  chars: number
  created_at: string
}

/** A row for every item that was delivered; within a session the first time only. */
export type RecallItemsTable = {
  delivery_id: string
  call_id: string
  user_id: string
  session_id: string | null
  kind: RecalledKind
  /** card_id, or raw_id of the event or document. */
  item_id: string
  /** How sure recall was that it fits; null for what comes at every start. */
  confidence: number | null
  /** When the person first read the card, if within a day after the delivery. */
  opened_at: string | null
  created_at: string
}

/** One row per indexed card: its words and how often each occurs; see search-index/packing.ts. */
export type SearchDocsTable = {
  doc_no: Generated<number>
  card_id: string
  /** The version of the analyser that read the card. */
  analyser: number
  weights: Uint8Array
}

/** Cards that are in no posting list yet. */
export type SearchFreshTable = { doc_no: number }

/** The runs of the index, each with the number of its cards that were gone when it was last written. */
export type SearchRunsTable = { run: number; dead: number }

/** Which cards of a run have a word, or pass a filter; see search-index/postings.ts. */
export type SearchPostingsTable = { run: number; key: number; docs: Uint8Array }

/** Cards of a block that are gone from the index, though posting lists may still have them. */
export type SearchDeadTable = { block: number; docs: Uint8Array }

/** Every word of every card, and in how many cards it occurs: what the planner and the trigram path ask. */
export type SearchWordsTable = {
  hash: number
  word: string
  /** In all cards: how long its posting lists are. It never weighs a word. */
  cards: number
  /** In cards that everybody may find. */
  public_cards: Generated<number>
}

/**
 * What card writes have added to and taken from the counts, a row for each write, until a background job folds it in. Writers only ever
 * append here: were they to count up the shared rows of common words, they would all wait for one another.
 */
export type SearchChangesTable = {
  change_no: Generated<number>
  cards: number
  length: number
  /** Words that came, separated by spaces. */
  added: string
  /** Hashes of words that went, separated by spaces. */
  removed: string
  /** Numbers that cards had in the index before, separated by spaces. */
  gone: string
  /** 1: all of this concerns cards that everybody may find. */
  is_public: Generated<number>
}

/** One row, of the index as a whole: how many cards are counted, and how many words they have together; of all, and of those that everybody may find. */
export type SearchTotalsTable = {
  id: 1
  cards: number
  length: number
  public_cards: Generated<number>
  public_length: Generated<number>
  /** How often posting lists were changed. */
  list_changes: Generated<number>
}

export type SearchTables = {
  search_docs: SearchDocsTable
  search_fresh: SearchFreshTable
  search_runs: SearchRunsTable
  search_postings: SearchPostingsTable
  search_dead: SearchDeadTable
  search_words: SearchWordsTable
  search_changes: SearchChangesTable
  search_totals: SearchTotalsTable
}

/** What somebody searched for lately, or keeps under a name; each person's own. */
export type KeptSearchesTable = {
  search_id: string
  user_id: string
  kind: 'recent' | 'saved'
  /** Of a saved one. */
  name: string | null
  query: string
  /** JSON: what narrowed the search. */
  filters: string
  created_at: string
  used_at: string
}

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

export type ContextEventType = 'user_message' | 'agent_report' | 'turn' | 'summary' | 'fact_snapshot'

/** What the event is in the snapshot: part of the recent window, or a document that the next of its kind replaces. */
export type ContextSlot = 'recent' | 'summary' | 'facts' | 'preferences'

export type ContextProjectsTable = {
  project_id: string
  user_id: string
  workspace_id: string
  /** The canonical key that answers carry. */
  project_key: string
  /** Null while the host of an `org/repo` is not known, and for keys that are no repository. */
  host: string | null
  events: number
  last_event_at: string | null
  created_at: string
}

/** Every spelling, after normalisation, that finds the project. */
export type ContextProjectAliasesTable = {
  user_id: string
  workspace_id: string
  alias: string
  project_id: string
}

export type ContextPartitionsTable = {
  partition_no: Generated<number>
  user_id: string
  project_id: string
  last_seq: number
}

export type ContextEventsTable = {
  /** partition_no and the position in the partition, see features/memory/events.search.ts. */
  event_no: number
  raw_id: string
  user_id: string
  project_id: string
  workspace_id: string
  event_type: ContextEventType
  slot: ContextSlot
  created_at: string
  title: string | null
  session_id: string | null
  client: string | null
  meta: string | null
  redactions: string
  content: string
  /** Title and content without their case, for the substring search. */
  search_text: string
}

export type RawMaterialsTable = {
  raw_id: string
  owner_id: string
  workspace_id: string
  kind: string
  title: string | null
  source_url: string | null
  tags: string
  meta: string | null
  redactions: string
  created_at: string
  content: string
}

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
