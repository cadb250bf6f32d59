/** What somebody searched for lately, or keeps under a name; each person's own. */
export type KeptSearchesTable = {
  search_id: string
  user_id: string
  kind: 'recent' | 'saved'
  /** Of a saved one. */
  name: string | null
  query: string
  /** JSON: what narrowed the search. */
  filters: string
  created_at: string
  used_at: string
}
