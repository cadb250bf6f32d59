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
export type FirstStepsTable = {
  user_id: string
  searched_at: string | null
  dismissed_at: string | null
}

export type LoginFailuresTable = { subject: string; failures: number; last_failure_at: string }

export type IdempotencyKeysTable = {
  key_hash: string
  request_hash: string
  /** Sealed with a key made from the caller's own Idempotency-Key, as answers may carry tokens. */
  sealed_answer: string
  created_at: string
}
