export type CreditBalancesTable = {
  user_id: string
  balance: number
  lifetime_earned: number
  lifetime_spent: number
  updated_at: string
}

export type CreditEntriesTable = {
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
export type LeftAddressesTable = { address_hash: string; user_id: string; left_at: string }

/** What each rewarded card said, as a sketch (features/cards/text-sketch.ts); kept when the card is deleted. */
export type RewardedTextsTable = {
  user_id: string
  card_id: string
  sketch: string
  created_at: string
}
