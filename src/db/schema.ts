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
  MiningDueTable,
  ModerationTables,
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

  oauth_clients: OAuthClientsTable
  oauth_grants: OAuthGrantsTable
  oauth_codes: OAuthCodesTable
  oauth_tokens: OAuthTokensTable
} & BillingTables &
  LibraryTables &
  ModerationTables &
  SearchTables &
  SupportTables &
  TeamTables

type Flag = 0 | 1

/** How many bytes of text a person has written (features/storage); `deleted_bytes` are those of cards that can be brought back. */
export type TextUsageTable = { user_id: string; bytes: number; deleted_bytes: number }

export type UsersTable = {
  user_id: string
  /** Null once the account is deleted; the row stays so that published cards keep an author. */
  email: string | null
  /** Trimmed and lower-cased: what uniqueness and look-ups go by. */
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
  /** Where a card goes that is recorded with this key and names no workspace; null: the personal one. */
  default_workspace_id: string | null
}

export type EmailTokensTable = {
  token_hash: string
  user_id: string
  purpose: 'reset_password' | 'verify_email'
  created_at: string
  expires_at: string
  used_at: string | null
}

/** A password reset that was asked for: the address is looked up after the answer, so that its time tells nothing. */
export type ResetRequestsTable = { request_id: string; email_normal: string; created_at: string }

/** A new address of an account, until it is confirmed there. */
export type EmailChangesTable = {
  user_id: string
  token_hash: string
  email: string
  email_normal: string
  /** 1: the link went to the new address by mail, so following it proves the address. */
  mailed: Flag
  created_at: string
  expires_at: string
}

/** What the checklist of the first steps cannot see elsewhere. */
type FirstStepsTable = {
  user_id: string
  searched_at: string | null
  dismissed_at: string | null
}

type LoginFailuresTable = { subject: string; failures: number; last_failure_at: string }

type IdempotencyKeysTable = {
  key_hash: string
  request_hash: string
  /** Sealed with a key made from the caller's own Idempotency-Key, as answers may carry tokens. */
  sealed_answer: string
  created_at: string
}

type OauthFlag = 0 | 1

export type OAuthClientsTable = {
  client_id: string
  /** `registered` by RFC 7591; `document` where the client_id is the address of a metadata document. */
  source: 'registered' | 'document'
  name: string
  uri: string | null
  redirect_uris: string
  auth_method: 'none' | 'client_secret_basic' | 'client_secret_post'
  secret_hash: string | null
  may_refresh: OauthFlag
  created_at: string
  /** When a document was last read; it is read again after a while. */
  described_at: string
  /** When somebody first consented to it. Until then nobody misses it. */
  consented_at: string | null
}

/** What a person allowed an app: to people, a connected app. */
export type OAuthGrantsTable = {
  grant_id: string
  user_id: string
  client_id: string
  scopes: string
  resource: string
  created_at: string
  /** Null until the code was exchanged; such a grant is not connected yet. */
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

export type OAuthTokensTable = {
  token_hash: string
  grant_id: string
  kind: 'access' | 'refresh'
  scopes: string
  created_at: string
  expires_at: string
  /** When a refresh token was exchanged for the next one; it stays known so that a second use shows. */
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
  /** A deleted workspace is private and has no members; its row stays for what refers to it. */
  deleted_at: string | null
  /** When it was last opened after it had been private. */
  opened_at: string | null
}

export type MembershipsTable = {
  workspace_id: string
  user_id: string
  role: Role
  created_at: string
  /** Who gave the role; null where the member took it, by making the workspace or by accepting an invitation. */
  role_given_by: string | null
  /** 0 where an admin added the account by its id: the team does not read its address. */
  address_known: number
}

export type WorkspaceInvitesTable = {
  invite_id: string
  workspace_id: string
  email: string
  email_normal: string
  role: Role
  status: 'pending' | 'accepted' | 'revoked'
  /** The hash of the newest token. Sending again replaces it. */
  token_hash: string
  /** When somebody registered with the newest token on a server that demands an invitation: it opens one registration. */
  registered_at: string | null
  /** How often it was sent: each sending is a state of its own, mailed once. */
  sendings: number
  invited_by: string
  created_at: string
  expires_at: string
  accepted_at: string | null
  /** Read by nobody here: the audit log shows the same, as the actor of `invite.accepted`. */
  accepted_by: string | null
  /** The account that may accept without the link, from its inbox. */
  for_user_id: string | null
  /** Set when the invited person said no; the status is `revoked` then. */
  declined_at: string | null
  /** 0 where an admin named the account by its id: the team does not read its address. */
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

/** Who a user is at a payment provider. */
export type BillingCustomersTable = {
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
  /** Time (seconds) and rank of the event that set this state; an earlier one no longer counts. */
  event_created: number
  event_rank: number
  created_at: string
  updated_at: string
}

/**
 * Events whose effect is in the database; written in the transaction of that effect. The code looks for the id alone; type
 * and time are for an operator who compares them with the provider's list.
 */
export type BillingEventsTable = {
  event_id: string
  provider: string
  type: string
  received_at: string
}

/** Money that gave credits: one row for each paid session or invoice. */
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
  /** By disputes that were not won. */
  disputed_cents: Generated<number>
  credits_returned: Generated<number>
  created_at: string
}

/** Refunds that were reported before the payment they belong to. */
export type BillingEarlyRefundsTable = {
  refund_key: string
  payment_intent: string | null
  invoice_id: string | null
  refunded_cents: number
  created_at: string
}

/** Payments that a bank has taken back. Without `payment_id`, the payment was not reported yet. */
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
  /** When its maker took it back. */
  withdrawn_at: string | null
}

/** The key is the account: one redemption each, whatever the code. */
export type BillingRedemptionsTable = {
  user_id: string
  invite_id: string
  created_at: string
}

/** The development provider's own books. */
export type BillingDevObjectsTable = {
  object_id: string
  kind: string
  customer_id: string | null
  data: string
  created_at: string
  updated_at: string
}

export type BillingDevEventsTable = {
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
  /** What this booking is for, unique per user: a cause books once, however often it is reported. */
  cause: string
  created_at: string
}

/** A proven address that an account has left, kept for 90 days (features/credits/left-addresses.ts). */
type LeftAddressesTable = { address_hash: string; user_id: string; left_at: string }

/** What each rewarded card said, as a sketch (features/cards/text-sketch.ts); kept when the card is deleted. */
type RewardedTextsTable = {
  user_id: string
  card_id: string
  sketch: string
  created_at: string
}

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

/** The time is for an operator who looks when an upgrade ran. */
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

/** One row: the secret key that seals what the database holds. */
type ServerSecretTable = {
  id: 1
  fingerprint: string
  /** The key of the hashes of addresses, sealed with the secret key. */
  hash_key: string
}

export type OutboxTable = {
  mail_id: string
  /** One mail per state of its cause: a second enqueue of the same state is dropped. */
  state_key: string
  to_address: string
  subject: string
  text_body: string
  html_body: string
  /** Names the server secret that the two bodies are sealed with. */
  sealed_with: string
  status: 'pending' | 'sent' | 'failed' | 'cancelled'
  attempts: number
  next_attempt_at: string
  claimed_until: string | null
  last_error: string | null
  created_at: string
  /** For an operator who is asked when a mail went out. */
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
  /** The plan of the author when the ticket was opened; null where nobody was signed in. */
  plan: string | null
  status: 'open' | 'closed'
  created_at: string
  closed_at: string | null
  /** Read by nobody here: the audit log shows the same, as the actor of `ticket.closed`. */
  closed_by: string | null
}

/** What was said after the ticket was opened, by its author or by an administrator. */
export type SupportRepliesTable = {
  reply_id: string
  ticket_id: string
  /** For an operator who has to know which administrator answered; people only see `from_support`. */
  author_id: string | null
  from_support: 0 | 1
  message: string
  created_at: string
}

/** What was said lately in the support chat. Without the id, nobody can find or read it. */
export type SupportConversationsTable = {
  conversation_hash: string
  user_id: string | null
  /** The messages of a conversation; the column is older than the word. */
  sealed_turns: string
  updated_at: string
}

/** The file is DATA_DIR/tickets/<ticket_id>/<attachment_id>; the sender's name for it is only shown. */
export type SupportAttachmentsTable = {
  attachment_id: string
  ticket_id: string
  position: number
  file_name: string
  media_type: string
  size_bytes: number
}
