import type { Generated } from 'kysely'
import type {
  CardDraftsTable,
  CardEvidencesTable,
  CardFeedbackTable,
  CardImagePartsTable,
  CardImagesTable,
  CardLinksTable,
  CardMergesTable,
  CardsTable,
  CardTagsTable,
  CardVerdictsTable,
  CardVersionsTable,
  ContextEventsTable,
  ContextPartitionsTable,
  ContextProjectAliasesTable,
  ContextProjectsTable,
  KeptSearchesTable,
  LibraryTables,
  MemoryMarksTable,
  MiningDueTable,
  ModerationTables,
  ProjectCommitsDueTable,
  ProjectCommitsTable,
  ProjectCommitWordsTable,
  ProjectHistoriesTable,
  RawMaterialsTable,
  RecallCallsTable,
  RecallItemsTable,
  RecoveriesTable,
  SearchTables,
  TeamTables,
  TrustDueTable,
} from './knowledge-schema.ts'

export type Schema = {
  schema_migrations: SchemaMigrationsTable

  users: UsersTable
  sessions: SessionsTable
  api_keys: ApiKeysTable
  email_tokens: EmailTokensTable
  email_changes: EmailChangesTable
  first_steps: FirstStepsTable
  login_failures: LoginFailuresTable
  reset_requests: ResetRequestsTable
  rate_limits: RateLimitsTable
  idempotency_keys: IdempotencyKeysTable
  text_usage: TextUsageTable

  workspaces: WorkspacesTable
  memberships: MembershipsTable
  workspace_invites: WorkspaceInvitesTable

  credit_balances: CreditBalancesTable
  credit_entries: CreditEntriesTable
  rewarded_texts: RewardedTextsTable
  left_addresses: LeftAddressesTable

  cards: CardsTable
  card_tags: CardTagsTable
  card_evidences: CardEvidencesTable
  card_versions: CardVersionsTable
  card_feedback: CardFeedbackTable
  card_verdicts: CardVerdictsTable
  card_links: CardLinksTable
  card_merges: CardMergesTable
  trust_due: TrustDueTable
  card_images: CardImagesTable
  card_image_parts: CardImagePartsTable

  context_projects: ContextProjectsTable
  context_project_aliases: ContextProjectAliasesTable
  context_partitions: ContextPartitionsTable
  context_events: ContextEventsTable
  project_histories: ProjectHistoriesTable
  project_commits: ProjectCommitsTable
  project_commit_words: ProjectCommitWordsTable
  project_commits_due: ProjectCommitsDueTable
  memory_marks: MemoryMarksTable
  raw_materials: RawMaterialsTable

  recall_calls: RecallCallsTable
  recall_items: RecallItemsTable

  kept_searches: KeptSearchesTable

  card_drafts: CardDraftsTable
  mining_due: MiningDueTable
  recoveries: RecoveriesTable

  notices: NoticesTable
  audit_log: AuditLogTable
  outbox: OutboxTable
  server_secret: ServerSecretTable
  server_settings: ServerSettingsTable

  oauth_clients: OAuthClientsTable
  oauth_grants: OAuthGrantsTable
  oauth_codes: OAuthCodesTable
  oauth_device_codes: OAuthDeviceCodesTable
  oauth_tokens: OAuthTokensTable
} & BillingTables &
  LibraryTables &
  ModerationTables &
  SearchTables &
  SupportTables &
  TeamTables

type Flag = 0 | 1

/** Bytes of text per person (features/storage); `deleted_bytes` are those of cards that can be restored. */
export type TextUsageTable = { user_id: string; bytes: number; deleted_bytes: number }

export type UsersTable = {
  user_id: string
  /** Null after the account is deleted; the row stays as the author of published cards. */
  email: string | null
  /** Trimmed and lower-cased, for uniqueness and look-ups. */
  email_normal: string | null
  password_hash: string | null
  google_subject: string | null
  display_name: string
  email_verified: Flag
  onboarding: string | null
  plan: string
  settings: string
  personal_workspace_id: string
  created_at: string
  updated_at: string
  deleted_at: string | null
  /** Granted on the server's command line. */
  service_admin: Flag
}

export type SessionsTable = {
  session_id: string
  token_hash: string
  user_id: string
  created_at: string
  last_seen_at: string
  expires_at: string
}

export type ApiKeysTable = {
  key_id: string
  key_hash: string
  user_id: string
  name: string
  prefix: string
  scopes: string
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  /** Where a card of this key goes if the call names no workspace; null: the personal workspace. */
  default_workspace_id: string | null
  /** 1: its person agreed to share what it records in that workspace, a private team. */
  share_recorded: number
}

export type EmailTokensTable = {
  token_hash: string
  user_id: string
  purpose: 'reset_password' | 'verify_email'
  created_at: string
  expires_at: string
  used_at: string | null
}

/** The address is looked up after the answer, so that its time reveals nothing (timing attack). */
export type ResetRequestsTable = { request_id: string; email_normal: string; created_at: string }

export type EmailChangesTable = {
  user_id: string
  token_hash: string
  email: string
  email_normal: string
  /** 1: the link was mailed to the new address, so following the link proves the address. */
  mailed: Flag
  created_at: string
  expires_at: string
}

/** Steps of the checklist that no other table shows. */
type FirstStepsTable = {
  user_id: string
  searched_at: string | null
  dismissed_at: string | null
}

type RateLimitsTable = { key: string; points: number; expire: number }

type LoginFailuresTable = { subject: string; failures: number; last_failure_at: string }

type IdempotencyKeysTable = {
  key_hash: string
  request_hash: string
  /** Sealed with a key derived from the caller's Idempotency-Key, because answers may carry tokens. */
  sealed_answer: string
  created_at: string
  /** The person, and the size, of a long answer. */
  caller_id: string | null
  bytes: number | null
}

type OauthFlag = 0 | 1

export type OAuthClientsTable = {
  client_id: string
  /** `registered` by RFC 7591; `document`: the client_id is the address of a metadata document. */
  source: 'registered' | 'document'
  name: string
  uri: string | null
  redirect_uris: string
  auth_method: 'none' | 'client_secret_basic' | 'client_secret_post'
  secret_hash: string | null
  may_refresh: OauthFlag
  created_at: string
  /** When the metadata document was last read; it is read again after a while. */
  described_at: string
  /** When somebody first consented. An app without consent may be deleted. */
  consented_at: string | null
}

/** The permissions that a person gave to an app ("connected app" in the interface). */
export type OAuthGrantsTable = {
  grant_id: string
  user_id: string
  client_id: string
  scopes: string
  resource: string
  created_at: string
  /** Null until the code is exchanged; the grant is not active before. */
  activated_at: string | null
  last_used_at: string | null
}

export type OAuthCodesTable = {
  code_hash: string
  grant_id: string
  redirect_uri: string
  challenge: string
  expires_at: string
  used_at: string | null
}

export type OAuthDeviceCodesTable = {
  device_hash: string
  user_code_hash: string
  client_id: string
  scopes: string
  resource: string
  created_at: string
  expires_at: string
  interval_seconds: number
  polled_at: string | null
  /** The grant that the person made; null until the decision. */
  grant_id: string | null
  denied_at: string | null
}

export type OAuthTokensTable = {
  token_hash: string
  grant_id: string
  kind: 'access' | 'refresh'
  scopes: string
  created_at: string
  expires_at: string
  /** When the refresh token was exchanged. The row stays, so that a second use is detected (token theft). */
  used_at: string | null
}

export type Role = 'admin' | 'editor' | 'viewer'

export type WorkspacesTable = {
  workspace_id: string
  name: string
  type: 'org' | 'personal' | 'team' | 'system'
  visibility: 'private' | 'unlisted' | 'public'
  policy_json: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  /** A deleted workspace is private and has no members; the row stays for references. */
  deleted_at: string | null
  /** When the workspace last changed from private to open. */
  opened_at: string | null
}

export type MembershipsTable = {
  workspace_id: string
  user_id: string
  role: Role
  created_at: string
  /** Who gave the role; null for a creator, or for a member who accepted an invitation. */
  role_given_by: string | null
  /** 0: an admin added the account by its id, so the team must not see its address. */
  address_known: number
}

export type WorkspaceInvitesTable = {
  invite_id: string
  workspace_id: string
  email: string
  email_normal: string
  role: Role
  status: 'pending' | 'accepted' | 'revoked'
  /** Hash of the newest token; a new sending replaces it. */
  token_hash: string
  /** When somebody registered with the newest token: a token opens only one registration. */
  registered_at: string | null
  /** Number of sendings; each is a separate state, mailed once. */
  sendings: number
  invited_by: string
  created_at: string
  expires_at: string
  accepted_at: string | null
  accepted_by: string | null
  /** The account that may accept without the link, from its inbox. */
  for_user_id: string | null
  /** When the invited person declined; the status is then `revoked`. */
  declined_at: string | null
  /** 0: an admin named the account by its id, so the team must not see its address. */
  address_known: number
}

type BillingTables = {
  billing_customers: BillingCustomersTable
  billing_subscriptions: BillingSubscriptionsTable
  billing_events: BillingEventsTable
  billing_payments: BillingPaymentsTable
  billing_early_refunds: BillingEarlyRefundsTable
  billing_disputes: BillingDisputesTable
  billing_invites: BillingInvitesTable
  billing_redemptions: BillingRedemptionsTable
  billing_dev_objects: BillingDevObjectsTable
  billing_dev_events: BillingDevEventsTable
}

type BillingCustomersTable = {
  provider: string
  user_id: string
  customer_id: string
  created_at: string
}

export type BillingSubscriptionsTable = {
  subscription_id: string
  provider: string
  customer_id: string
  user_id: string
  plan_id: string | null
  status: 'none' | 'trialing' | 'active' | 'past_due' | 'canceled'
  current_period_end: string | null
  cancel_at_period_end: number
  /** Time (seconds) and rank of the event that set this state; an earlier event is ignored. */
  event_created: number
  event_rank: number
  created_at: string
  updated_at: string
}

type BillingEventsTable = {
  event_id: string
  provider: string
  type: string
  received_at: string
}

/** Payments that gave credits: one row per paid session or invoice. */
export type BillingPaymentsTable = {
  payment_id: string
  provider: string
  user_id: string
  kind: 'pack' | 'plan'
  item_id: string
  payment_intent: string | null
  amount_cents: number
  currency: string
  credits: number
  refunded_cents: Generated<number>
  /** Cents in disputes that were not won. */
  disputed_cents: Generated<number>
  credits_returned: Generated<number>
  created_at: string
}

/** Refunds that were reported before their payment. */
type BillingEarlyRefundsTable = {
  refund_key: string
  payment_intent: string | null
  invoice_id: string | null
  refunded_cents: number
  created_at: string
}

/** Payments that a bank has taken back. `payment_id` is null until the payment is reported. */
export type BillingDisputesTable = {
  dispute_id: string
  payment_intent: string | null
  invoice_id: string | null
  payment_id: Generated<string | null>
  amount_cents: number
  credits_taken: Generated<number>
  won_at: string | null
  created_at: string
}

export type BillingInvitesTable = {
  invite_id: string
  code: string
  created_by: string
  note: string | null
  credits: number
  max_uses: number
  uses: Generated<number>
  expires_at: string
  created_at: string
  /** When its creator withdrew it. */
  withdrawn_at: string | null
}

/** One redemption per account, whatever the code. */
type BillingRedemptionsTable = {
  user_id: string
  invite_id: string
  created_at: string
}

type BillingDevObjectsTable = {
  object_id: string
  kind: string
  customer_id: string | null
  data: string
  created_at: string
  updated_at: string
}

type BillingDevEventsTable = {
  event_id: string
  payload: string
  created_at: string
  delivered_at: string | null
}

type CreditBalancesTable = {
  user_id: string
  balance: number
  lifetime_earned: number
  lifetime_spent: number
  updated_at: string
}

type CreditEntriesTable = {
  entry_id: string
  user_id: string
  delta: number
  balance_after: number
  reason: string
  ref_type: string | null
  ref_id: string | null
  /** The cause of the booking, unique per user: a cause is booked only once. */
  cause: string
  created_at: string
}

/** A verified address that an account has left, kept for 90 days (features/credits/left-addresses.ts). */
type LeftAddressesTable = { address_hash: string; user_id: string; left_at: string }

/** The text sketch of each rewarded card (features/cards/text-sketch.ts); kept when the card is deleted. */
type RewardedTextsTable = {
  user_id: string
  card_id: string
  sketch: string
  created_at: string
}

export type NoticesTable = {
  notice_id: string
  user_id: string
  kind: string
  actor_id: string | null
  workspace_id: string | null
  /** A second subject of the notice, such as an invitation. */
  subject_id: string | null
  /** JSON: names at the time of the notice; this person may not see later names. */
  details: string
  created_at: string
  read_at: string | null
}

/** The time is only for an operator. */
type SchemaMigrationsTable = { name: string; applied_at: string }

export type AuditLogTable = {
  audit_id: string
  actor_id: string | null
  workspace_id: string | null
  action: string
  subject_type: string
  subject_id: string
  details: string
  request_id: string
  created_at: string
}

/** One row: identifies the secret key that seals data in the database. */
type ServerSettingsTable = {
  key: string
  /** JSON */
  value: string
  changed_by: string
  changed_at: string
}

type ServerSecretTable = {
  id: 1
  fingerprint: string
  /** The key for hashes of addresses, sealed with the secret key. */
  hash_key: string
}

export type OutboxTable = {
  mail_id: string
  /** One mail per state of its cause: a second enqueue of one state is dropped. */
  state_key: string
  to_address: string
  subject: string
  text_body: string
  html_body: string
  /** Fingerprint of the server secret that seals the two bodies. */
  sealed_with: string
  status: 'pending' | 'sent' | 'failed' | 'cancelled'
  attempts: number
  next_attempt_at: string
  claimed_until: string | null
  last_error: string | null
  created_at: string
  /** For an operator who must know when a mail was sent. */
  sent_at: string | null
}

type SupportTables = {
  support_tickets: SupportTicketsTable
  support_attachments: SupportAttachmentsTable
  support_replies: SupportRepliesTable
  support_conversations: SupportConversationsTable
}

export type SupportTicketsTable = {
  ticket_id: string
  user_id: string | null
  email: string
  subject: string
  message: string
  category: string
  /** The author's plan when the ticket was opened; null without an account. */
  plan: string | null
  status: 'open' | 'closed'
  created_at: string
  closed_at: string | null
  /** Never read by the code: the audit log shows the actor of `ticket.closed`. */
  closed_by: string | null
}

export type SupportRepliesTable = {
  reply_id: string
  ticket_id: string
  /** For an operator who must know which administrator answered; people only see `from_support`. */
  author_id: string | null
  from_support: 0 | 1
  message: string
  created_at: string
}

/** Recent conversations of the support chat; only the id gives access. */
type SupportConversationsTable = {
  conversation_hash: string
  user_id: string | null
  sealed_turns: string
  updated_at: string
}

/** The file is DATA_DIR/tickets/<ticket_id>/<attachment_id>; the sender's file name is only displayed. */
export type SupportAttachmentsTable = {
  attachment_id: string
  ticket_id: string
  position: number
  file_name: string
  media_type: string
  size_bytes: number
}
