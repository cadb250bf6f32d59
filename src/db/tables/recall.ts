export type RecallMoment = 'failure' | 'prompt' | 'start' | 'compact'
export type RecalledKind = 'card' | 'fact' | 'event'

/** A row for every call of recall, silent or not. */
export type RecallCallsTable = {
  call_id: string
  user_id: string
  /** In its canonical form; null where none was named. */
  project_key: string | null
  session_id: string | null
  client: string | null
  moment: RecallMoment
  /** Of the telling lines of a failure: the same error has the same one each time. */
  signature: string | null
  is_silent: number
  reason: string
  /** How long the text was that the agent got. */
  chars: number
  created_at: string
}

/** A row for every item that was delivered; within a session the first time only. */
export type RecallItemsTable = {
  delivery_id: string
  call_id: string
  user_id: string
  session_id: string | null
  kind: RecalledKind
  /** card_id, or raw_id of the event or document. */
  item_id: string
  /** How sure recall was that it fits; null for what comes at every start. */
  confidence: number | null
  /** When the person first read the card, if within a day after the delivery. */
  opened_at: string | null
  created_at: string
}
