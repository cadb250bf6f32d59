/** The time is for an operator who looks when an upgrade ran. */
export type SchemaMigrationsTable = { name: string; applied_at: string }

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
export type ServerSecretTable = {
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
