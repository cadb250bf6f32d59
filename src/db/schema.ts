import type {
  ApiKeysTable,
  EmailTokensTable,
  IdempotencyKeysTable,
  LoginFailuresTable,
  SessionsTable,
  UsersTable,
} from './tables/accounts.ts'
import type { CreditBalancesTable, CreditEntriesTable } from './tables/credits.ts'
import type { AuditLogTable, OutboxTable, SchemaMigrationsTable } from './tables/operations.ts'
import type { MembershipsTable, WorkspacesTable } from './tables/workspaces.ts'

export type Schema = {
  schema_migrations: SchemaMigrationsTable

  users: UsersTable
  sessions: SessionsTable
  api_keys: ApiKeysTable
  email_tokens: EmailTokensTable
  login_failures: LoginFailuresTable
  idempotency_keys: IdempotencyKeysTable

  workspaces: WorkspacesTable
  memberships: MembershipsTable

  credit_balances: CreditBalancesTable
  credit_entries: CreditEntriesTable

  audit_log: AuditLogTable
  outbox: OutboxTable
}
