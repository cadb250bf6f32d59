export type LinkKind = 'supersedes' | 'duplicates' | 'contradicts' | 'related'

export type CardLinksTable = {
  link_id: string
  from_card_id: string
  to_card_id: string
  kind: LinkKind
  why: string | null
  /** Null where the program found it by itself. */
  created_by: string | null
  created_at: string
}

/** A card that was merged into another. Undoing takes the row away: the card itself and all that was said of it stayed. */
export type CardMergesTable = {
  from_card_id: string
  into_card_id: string
  /** Read by nobody here: the audit log shows people the same, as the actor of `card.merged`. */
  merged_by: string
  why: string | null
  created_at: string
}
