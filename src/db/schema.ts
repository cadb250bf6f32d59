import type {
  ApiKeysTable,
  EmailChangesTable,
  EmailTokensTable,
  FirstStepsTable,
  IdempotencyKeysTable,
  LoginFailuresTable,
  ResetRequestsTable,
  SessionsTable,
  TextUsageTable,
  UsersTable,
} from './tables/accounts.ts'
import type { BillingTables } from './tables/billing.ts'
import type { CardImagePartsTable, CardImagesTable } from './tables/card-images.ts'
import type { CardLinksTable, CardMergesTable } from './tables/card-links.ts'
import type {
  CardEvidencesTable,
  CardFeedbackTable,
  CardsTable,
  CardTagsTable,
  CardVersionsTable,
} from './tables/cards.ts'
import type {
  CreditBalancesTable,
  CreditEntriesTable,
  LeftAddressesTable,
  RewardedTextsTable,
} from './tables/credits.ts'
import type { KeptSearchesTable } from './tables/kept-searches.ts'
import type { LibraryTables } from './tables/library.ts'
import type {
  ContextEventsTable,
  ContextPartitionsTable,
  ContextProjectAliasesTable,
  ContextProjectsTable,
  RawMaterialsTable,
} from './tables/memory.ts'
import type { CardDraftsTable, MiningDueTable, RecoveriesTable } from './tables/mining.ts'
import type { ModerationTables } from './tables/moderation.ts'
import type { NoticesTable } from './tables/notices.ts'
import type {
  OAuthClientsTable,
  OAuthCodesTable,
  OAuthGrantsTable,
  OAuthTokensTable,
} from './tables/oauth.ts'
import type {
  AuditLogTable,
  OutboxTable,
  SchemaMigrationsTable,
  ServerSecretTable,
} from './tables/operations.ts'
import type { RecallCallsTable, RecallItemsTable } from './tables/recall.ts'
import type { SearchTables } from './tables/search.ts'
import type { SupportTables } from './tables/support.ts'
import type { TeamTables } from './tables/team.ts'
import type { CardVerdictsTable, TrustDueTable } from './tables/verdicts.ts'
import type { MembershipsTable, WorkspaceInvitesTable, WorkspacesTable } from './tables/workspaces.ts'

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
