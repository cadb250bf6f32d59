type Flag = 0 | 1

export type OAuthClientsTable = {
  client_id: string
  /** `registered` by RFC 7591; `document` where the client_id is the address of a metadata document. */
  source: 'registered' | 'document'
  name: string
  uri: string | null
  redirect_uris: string
  auth_method: 'none' | 'client_secret_basic' | 'client_secret_post'
  secret_hash: string | null
  may_refresh: Flag
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
