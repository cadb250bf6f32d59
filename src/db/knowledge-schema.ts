import type { Generated } from 'kysely'
import type { ContentColumns } from '../shared/card-fields.ts'
import type { Licence } from '../shared/licences.ts'

export type CardStatus = 'unpublished' | 'published'
export type ReviewStatus = 'not_reviewed' | 'passed' | 'rejected'
export type FeedbackKind = 'useful' | 'not_applicable' | 'outdated'

export type CardsTable = ContentColumns & {
  card_id: string
  owner_id: string
  workspace_id: string
  /** Where the card was recorded; unpublishing returns the card there. */
  origin_workspace_id: string
  status: CardStatus
  version: number
  /** Set by a trigger when the card comes into its workspace; only the owner sees earlier versions. */
  seen_from_version: Generated<number>
  /** Set by a trigger; only the owner sees earlier comments. Null: the card never moved. */
  seen_since: Generated<string | null>
  /** Version and time at which the card came into the workspace that published it; null while it is there, or unknown. */
  origin_seen_from_version: Generated<number | null>
  origin_seen_since: Generated<string | null>
  /** Case-folded title, tags and the beginnings of symptom and fix, for the text filter of lists. */
  filter_text: string
  evidence_count: Generated<number>
  feedback_useful: Generated<number>
  feedback_not_applicable: Generated<number>
  feedback_outdated: Generated<number>
  /** JSON, computed by features/trust; null without verdicts. */
  trust: Generated<string | null>
  /** JSON: the trust as members of the private source team see it; null if equal to `trust`. */
  team_trust: Generated<string | null>
  confirmed_at: Generated<string | null>
  /** When the card was last called failed or outdated, if nobody who may edit it has confirmed it since. */
  doubted_at: Generated<string | null>
  /** When somebody who may edit the card dismissed the doubts up to then. */
  doubts_dismissed_at: Generated<string | null>
  /** JSON list of what the card cites; null until extracted. */
  cites: Generated<string | null>
  /** The cites were written by a person, so an edit does not extract them again. */
  cites_are_written: Generated<number>
  /** The card's own review interval; null: the workspace decides. */
  review_after_days: Generated<number | null>
  /** How the card was recorded: by a person in the web app, or by an agent or a program; null if unknown. */
  recorded_with: Generated<'session' | 'api_key' | 'oauth' | null>
  /** 1 while the superseding card is deleted or hidden; stored here, as it may be in another shard. */
  successor_gone: Generated<number>
  /** The superseding card; search then leaves this card out. */
  superseded_by: Generated<string | null>
  /** The event in the owner's memory that the card was made from; only the owner sees it. */
  source_event_id: Generated<string | null>
  /** Which sample card of the first steps; null for written cards. */
  sample: Generated<string | null>
  /** SHA-256 of the current version's content, set at publication (shared/library-snapshot.ts). */
  content_hash: Generated<string | null>
  /** SPDX identifier; a version keeps its licence even after unpublishing. */
  licence: Generated<Licence | null>
  /** When the current version became visible to other readers. */
  version_published_at: Generated<string | null>
  /** JSON: where the text was pulled from (features/library); null for a local card. */
  origin: Generated<string | null>
  /** The source server and the card's id there, to find the card at the next pull. */
  origin_key: Generated<string | null>
  review_status: Generated<ReviewStatus>
  review_score: number | null
  review_reasons: Generated<string>
  reviewed_at: string | null
  created_at: string
  /** The time of the last change of any kind; `edited_at` is the time of the current version. */
  updated_at: string
  edited_at: string
  edited_by: string
  edited_fields: string
  published_at: string | null
  deleted_at: string | null
  /** Since when moderators or enough reports hide the card from all but its owner. */
  hidden_at: Generated<string | null>
}

/** One row per tag, for counting and filtering; `cards.tags` keeps the order. */
export type CardTagsTable = { card_id: string; tag: string; tag_normal: string }

/** Append-only: the database refuses changes, and deletions unless the card is deleted. */
export type CardEvidencesTable = {
  evidence_id: string
  card_id: string
  position: number
  kind: string
  content: string
  meta: string | null
  /** Kinds of secret found at the time of writing, or null. */
  secrets: string | null
  added_by: string
  added_in_version: number
  created_at: string
}

/** Former versions of a card; the current one is in `cards`. Append-only. */
export type CardVersionsTable = {
  card_id: string
  version: number
  content: string
  edited_by: string
  edited_at: string
  edited_fields: string
  /** As in `cards`: set if this version was published. */
  content_hash: Generated<string | null>
  licence: Generated<Licence | null>
  published_at: Generated<string | null>
}

/** The newest verdict of a person on a card, in the words of the interface. */
export type CardFeedbackTable = {
  feedback_id: string
  card_id: string
  user_id: string
  kind: FeedbackKind
  comment: string | null
  /** When this person's `useful` earned the contributor a credit; kept when the feedback changes. */
  rewarded_at: string | null
  /** When the card's owner was mailed about it, or the mail was dropped; null while open. */
  told_at: string | null
  created_at: string
  /** Withdrawn feedback counts nowhere; the row keeps what it has already earned. */
  withdrawn_at: string | null
}

export type CardImagesTable = {
  image_id: string
  /** Null until a card of the uploader uses the image. */
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
  /** Null if the program found the link itself. */
  created_by: string | null
  created_at: string
}

/** A card that was merged into another. Undoing deletes the row; the card itself was never changed. */
export type CardMergesTable = {
  from_card_id: string
  into_card_id: string
  /** Never read by the code: the audit log shows the actor of `card.merged`. */
  merged_by: string
  why: string | null
  created_at: string
}

export type VerdictOutcome = 'worked' | 'failed' | 'stale' | 'withdrawn'
export type Closeness = 'owner' | 'team' | 'stranger'

/** Append-only: a person's last row counts per card, version and environment. */
export type CardVerdictsTable = {
  verdict_id: string
  card_id: string
  user_id: string
  /** The card's owner at the time of the verdict. */
  owner_id: string
  card_version: number
  outcome: VerdictOutcome
  environment: string
  /** The environment in canonical form, for comparison. */
  environment_key: string
  closeness: Closeness
  /** Counts this person's verdicts on different cards of the owner. */
  nth_of_owner: number
  is_rewarded: number
  evidence: string | null
  note: string | null
  applied_in: string | null
  created_at: string
}

/** Cards whose trust must be recomputed after a verdict on another card. */
export type TrustDueTable = { card_id: string }

/** Keys that sign library snapshots. Retired keys stay listed. */
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

/** A snapshot of the library; `made_at` is null while it is being made. */
export type LibrarySnapshotsTable = {
  snapshot_id: string
  key_id: string
  started_at: string
  /** Until this time no other process makes a snapshot. */
  claimed_until: string
  made_at: string | null
  cards: number
  size_bytes: number
  /** The hash at the end of the chain. */
  head: string | null
}

/** The compressed bytes of a snapshot in order, as base64. */
type LibrarySnapshotPartsTable = { snapshot_id: string; part: number; content: string }

export type LibraryTables = {
  signing_keys: SigningKeysTable
  library_snapshots: LibrarySnapshotsTable
  library_snapshot_parts: LibrarySnapshotPartsTable
}

type Flag = 0 | 1

type ReportKind = 'dangerous' | 'instructions' | 'secret' | 'personal' | 'wrong' | 'spam' | 'other'
export type ModerationDecision = 'keep' | 'hide' | 'remove'
type ModerationStatus = 'open' | 'decided' | 'appealed'

/** A moderation case or its decision. A card has at most one open case per workspace. */
export type ModerationMattersTable = {
  matter_id: string
  /** The card may be deleted by now. */
  card_id: string
  owner_id: string
  /** Where the card was, or would be published; determines who may decide. */
  workspace_id: string
  /** `blocked`: the review refused the card, and the owner asks moderators to look. */
  cause: 'reports' | 'blocked'
  status: ModerationStatus
  /** A decision must name the revision that the moderator has read; reports and appeals raise it too. */
  revision: number
  card_version: number
  /** Hidden by reports alone, until a moderator decides. */
  hidden_by_reports: Flag
  ask_note: string | null
  decision: ModerationDecision | null
  reason: string | null
  decided_by: string | null
  decided_at: string | null
  decided_version: number | null
  /** Decided by a moderator of the service in a public workspace; its admins cannot change the decision. */
  decided_by_service: Flag
  can_appeal: Flag
  appeal_note: string | null
  appealed_at: string | null
  /** Strangers could read the workspace at the last report, appeal or decision. */
  was_open: Flag
  created_at: string
  updated_at: string
}

export type CardReportsTable = {
  report_id: string
  card_id: string
  matter_id: string
  /** Null: nobody was signed in, or the account is deleted. */
  user_id: string | null
  /** One report per reporter and card: a user id, or a keyed hash of an IP address. */
  reporter_key: string
  kind: ReportKind
  note: string | null
  card_version: number
  created_at: string
}

export type PublishingBansTable = {
  ban_id: string
  user_id: string
  /** Keyed hash of the verified e-mail address, so that a new account with this address is banned too. */
  email_hash: string | null
  /** Null: the ban holds in the library and every public or unlisted workspace. */
  workspace_id: string | null
  matter_id: string
  reason: string
  /** Never read by the code, like `lifted_by`: the audit log shows the actors of `publisher.*`. */
  banned_by: string
  created_at: string
  lifted_by: string | null
  lifted_at: string | null
  lift_reason: string | null
}

type CardReadsTable = { user_id: string; card_id: string; last_at: string }

type WithdrawalsToldTable = {
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

type RecallMoment = 'failure' | 'prompt' | 'start' | 'compact' | 'before'
export type RecalledKind = 'card' | 'fact' | 'event' | 'commit'

/** A row for every call of recall, with or without a result. */
export type RecallCallsTable = {
  call_id: string
  user_id: string
  /** Canonical project key; null if the call named none. */
  project_key: string | null
  session_id: string | null
  client: string | null
  moment: RecallMoment
  /** Signature of the failure's significant lines, equal for equal errors; null without a failure. */
  signature: string | null
  is_silent: number
  reason: string
  chars: number
  created_at: string
}

/** A row for every delivered item, once per session. */
export type RecallItemsTable = {
  delivery_id: string
  call_id: string
  user_id: string
  session_id: string | null
  kind: RecalledKind
  /** card_id, or raw_id of the event or document. */
  item_id: string
  /** How sure recall was of the match; null for items that come at every start. */
  confidence: number | null
  /** When the person first read the card, within a day after the delivery. */
  opened_at: string | null
  created_at: string
}

/** One row per indexed card: its words and their frequencies (search-index/packing.ts). */
type SearchDocsTable = {
  doc_no: Generated<number>
  card_id: string
  /** The analyser version that indexed the card. */
  analyser: number
  weights: Uint8Array
}

/** What a model makes of the text of a card (src/embeddings). */
type SearchVectorsTable = {
  card_id: string
  /** The entry of the search index that the vector was made for. */
  doc_no: number
  model: string
  content_hash: string
  /** 0 for a text that the model refuses. */
  dimensions: number
  vector: Uint8Array | null
}

type ContextEventVectorsTable = Pick<SearchVectorsTable, 'model' | 'dimensions' | 'vector'> & {
  event_no: number
  user_id: string
}

type ContextVectorMarksTable = { partition_no: number; user_id: string; model: string; last_seq: number }

/** One row: which process makes vectors, and whether the endpoint fails. */
type SearchVectorStateTable = {
  id: number
  leased_by: string | null
  leased_until: string | null
  model: string | null
  dimensions: number | null
  failing_since: string | null
  failure: string | null
}

/** Cards that are in no posting list yet. */
type SearchFreshTable = { doc_no: number }

/** The runs of the index, each with the number of its deleted cards at the last write. */
type SearchRunsTable = { run: number; dead: number }

/** Posting lists: the cards of a run with a word or a filter value (search-index/postings.ts). */
type SearchPostingsTable = { run: number; key: number; docs: Uint8Array }

/** Deleted cards of a block that posting lists may still contain. */
type SearchDeadTable = { block: number; docs: Uint8Array }

/** Every word and its number of cards, for the planner and the trigram search. */
type SearchWordsTable = {
  hash: number
  word: string
  /** Number of all cards with the word: the length of its posting lists. Not used for scoring. */
  cards: number
  /** Number of cards with the word that everybody may find. */
  public_cards: Generated<number>
}

/** Append-only: updating the rows of common words would make writers wait for each other. */
export type SearchChangesTable = {
  change_no: Generated<number>
  cards: number
  length: number
  /** Added words, separated by spaces. */
  added: string
  /** Hashes of removed words, separated by spaces. */
  removed: string
  /** Former index numbers of cards, separated by spaces. */
  gone: string
  /** 1: the change concerns cards that everybody may find. */
  is_public: Generated<number>
}

/** One row with the totals of the index: cards and words, of all cards and of those that everybody may find. */
type SearchTotalsTable = {
  id: 1
  cards: number
  length: number
  public_cards: Generated<number>
  public_length: Generated<number>
  list_changes: Generated<number>
}

export type SearchTables = {
  search_docs: SearchDocsTable
  search_fresh: SearchFreshTable
  search_runs: SearchRunsTable
  search_postings: SearchPostingsTable
  search_dead: SearchDeadTable
  search_vectors: SearchVectorsTable
  context_event_vectors: ContextEventVectorsTable
  context_vector_marks: ContextVectorMarksTable
  search_vector_state: SearchVectorStateTable
  search_words: SearchWordsTable
  search_changes: SearchChangesTable
  search_totals: SearchTotalsTable
}

export type KeptSearchesTable = {
  search_id: string
  user_id: string
  kind: 'recent' | 'saved'
  name: string | null
  query: string
  filters: string
  created_at: string
  used_at: string
}

export type DraftStatus = 'open' | 'accepted' | 'dismissed'

/** A card draft found in a person's own work; only that person sees it, and search does not find it. */
export type CardDraftsTable = {
  draft_id: string
  user_id: string
  status: DraftStatus
  /** Signature of the error; one error has one draft. */
  signature: string
  /** JSON: the failing command, its cure and both outputs; secrets are replaced. */
  candidate: string
  project_key: string | null
  session_id: string | null
  client: string | null
  /** A possible duplicate card, shown only while the reader may read that card. */
  looks_like: string | null
  /** The card that the draft became, or that got a verdict. */
  card_id: string | null
  created_at: string
  expires_at: string
  decided_at: string | null
}

/** A session with new turns since the last mining. */
export type MiningDueTable = {
  user_id: string
  project_id: string
  session_id: string
  marked_at: string
}

/** A failing command that succeeded later; an error counts once per session. */
export type RecoveriesTable = {
  recovery_id: string
  user_id: string
  project_key: string
  session_id: string
  signature: string
  attempts: number
  /** Something changed in between that may have cured the error. */
  is_lesson: number
  /** Why no draft was made of it; null if one was, or none could be. */
  no_draft: string | null
  created_at: string
}

export type ContextEventType = 'user_message' | 'agent_report' | 'turn' | 'summary' | 'fact_snapshot'

/** The event's place in the snapshot: the recent window, or a document that the next of its kind replaces. */
export type ContextSlot = 'recent' | 'summary' | 'facts' | 'preferences'

export type ContextProjectsTable = {
  project_id: string
  user_id: string
  workspace_id: string
  project_key: string
  /** Null while the host of an `org/repo` is unknown, and for keys that are no repository. */
  host: string | null
  events: number
  last_event_at: string | null
  created_at: string
}

/** Normalised spellings that find the project. */
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

export type MemoryMarksTable = {
  mark_id: string
  user_id: string
  project_id: string
  raw_id: string
  reason: 'outdated' | 'wrong'
  /** JSON: hashes of the marked sentences. */
  hashes: string
  is_whole: number
  created_at: string
}

export type ContextEventsTable = {
  /** partition_no and the position in the partition (features/memory/events.search.ts). */
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
  /** Case-folded title and content, for the substring search. */
  search_text: string
}

/** What was learned from the repository of a project. */
export type ProjectHistoriesTable = {
  project_id: string
  user_id: string
  head: string | null
  learned_at: string | null
  problem: string | null
  commits: number
  /** The words of all commits together. */
  words: number
  last_no: number
}

export type ProjectCommitsTable = {
  commit_id: string
  user_id: string
  project_id: string
  commit_no: number
  kind: 'commit' | 'pull_request' | 'document'
  ref: string
  committed_at: string
  subject: string
  message: string
  files: string
  reverts: string | null
  redactions: string
  words: number
  reading: string
  created_at: string
}

export type ProjectCommitWordsTable = {
  user_id: string
  project_id: string
  word: number
  commits: string
}

export type ProjectCommitsDueTable = {
  batch_id: string
  batch_no: number
  user_id: string
  project_id: string
  payload: string
  created_at: string
  next_attempt_at: string
  claimed_until: string | null
  attempts: number
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
  /** The workspace whose members see the comment. It stays there when the card moves. */
  workspace_id: string
  user_id: string
  /** Markdown; `<@user_id>` mentions somebody. */
  body: string
  created_at: string
  edited_at: string | null
}

/** Searches of a team without a result: the words, without the searcher. */
export type MissedSearchesTable = { workspace_id: string; words: string; times: number; last_at: string }

/** `week` is its Monday, such as 2026-11-16. */
export type MissedSearchWeeksTable = { workspace_id: string; week: string; times: number }

export type TeamTables = {
  card_comments: CardCommentsTable
  missed_searches: MissedSearchesTable
  missed_search_weeks: MissedSearchWeeksTable
}
