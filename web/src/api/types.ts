// The shapes that the pages work with, all of them taken from the declarations of the capabilities.
import type { z } from 'zod'
import type { OutputOf } from '../../../src/core/capability.ts'
import type { login } from '../../../src/features/accounts/sign-in.ts'
import type { UserResponse } from '../../../src/features/accounts/users.ts'

export type User = z.output<typeof UserResponse>
export type TokenResponse = OutputOf<typeof login>
/** A call whose capability is still on its way into the table of contents. */
export type Pending<Input, Output> = { input: z.ZodType<unknown, Input>; output: z.ZodType<Output> }

export type CardType = 'debug_fix' | 'how_to' | 'lesson_learned' | 'decision' | 'reference'
export type Scope = 'personal' | 'workspace' | 'public'
export type FeedbackKind = 'useful' | 'not_applicable' | 'outdated'
export type FeedbackCounts = Record<FeedbackKind, number>
export type Step = { order: number; action: string; result: string }
export type Evidence = { kind: string; content: string; meta?: Record<string, unknown> | null }
export type Review = {
  status: 'not_reviewed' | 'passed' | 'rejected'
  score: number | null
  reasons: { rule: string; message: string }[]
  reviewed_at: string | null
}

export type Card = {
  card_id: string
  case_id: string
  workspace_id: string | null
  card_type: CardType
  track: 'debug' | 'build'
  title: string
  symptom: string
  fix_summary: string
  environment: Record<string, string> | null
  root_cause: string | null
  steps: Step[]
  tags: string[]
  card_payload: Record<string, unknown> | null
  body: string | null
  scope_notes: string | null
  status: 'unpublished' | 'published'
  owner_id: string
  owner_name: string | null
  origin_workspace_id: string | null
  version: number
  evidence_count: number
  evidences?: Evidence[]
  review: Review
  feedback: FeedbackCounts
  created_at: string
  updated_at: string
  published_at: string | null
}

export type CardWrite = Partial<
  Pick<Card, 'card_type' | 'environment' | 'root_cause' | 'steps' | 'tags' | 'body' | 'card_payload'>
> & {
  title: string
  symptom: string
  fix_summary: string
  workspace_id?: string
  evidences?: Evidence[]
  scope_notes?: string | null
}

export type Page<T> = { items: T[]; total: number; page: number; page_size: number }

export type SearchResult = {
  card_id: string
  case_id: string
  title: string
  card_type: CardType
  track: 'debug' | 'build'
  symptom: string
  fix_summary: string
  tags: string[]
  environment: Record<string, string> | null
  status: Card['status']
  workspace_id: string | null
  owner_name: string | null
  score: number
  matched_terms: string[]
  snippet: string
  hit_reason: string
  feedback: FeedbackCounts
  updated_at: string
}

export type SearchResponse = {
  query: string
  scope: Scope
  results: SearchResult[]
  total: number
  credits_charged: number
  credits_balance: number
  action_card: ActionCard | null
  took_ms: number
}

export type ActionCard = {
  title: string
  summary: string
  steps: { order: number; action: string; from_card_id: string }[]
  cautions: string[]
  sources: { card_id: string; title: string }[]
}

export type CardStats = {
  scope: string
  total: number
  published: number
  unpublished: number
  by_type: Record<string, number>
  by_track: Record<string, number>
  top_tags: { tag: string; count: number }[]
  feedback: FeedbackCounts
  last_activity_at: string | null
}

export type Workspace = {
  workspace_id: string
  name: string
  type: 'org' | 'personal' | 'team'
  visibility: 'private' | 'unlisted' | 'public'
  policy_json: Record<string, unknown> | null
  role: 'admin' | 'editor' | 'viewer' | null
  member_count: number
  created_by: string | null
  created_at: string
  updated_at: string
}
