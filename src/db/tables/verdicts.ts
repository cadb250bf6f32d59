export type VerdictOutcome = 'worked' | 'failed' | 'stale' | 'withdrawn'
/** What the judge was to the owner of the card when the verdict was given. */
export type Closeness = 'owner' | 'team' | 'stranger'

/**
 * Append-only: what somebody says now is their last row for the card, its version and the environment. A removal is
 * possible only together with the card.
 */
export type CardVerdictsTable = {
  verdict_id: string
  card_id: string
  user_id: string
  /** Of the card, when the verdict was given; a card does not change its owner. */
  owner_id: string
  card_version: number
  outcome: VerdictOutcome
  environment: string
  /** The environment in one spelling, so that the same one is known again. */
  environment_key: string
  closeness: Closeness
  /** Which of the owner's cards this is, in the order in which the person judged them. */
  nth_of_owner: number
  /** It earned the contributor a credit. */
  is_rewarded: number
  evidence: string | null
  note: string | null
  applied_in: string | null
  created_at: string
}

/** Cards whose trust must be computed again because of a judgement of another card. */
export type TrustDueTable = { card_id: string }
