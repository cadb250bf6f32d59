import { call } from './client.ts'
import type { Pending, Scope, SearchResponse } from './types.ts'

export type SearchInput = {
  query: string
  scope?: Scope
  workspace_ids?: string[]
  tags?: string[]
  environment?: Record<string, string>
  limit?: number
  generate_action_card?: boolean
}

export const searchCards = call<Pending<SearchInput, SearchResponse>>('POST /api/v1/search')
