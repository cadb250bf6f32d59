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
