// The shapes that the pages work with, all of them taken from the declarations of the capabilities.
import type { z } from 'zod'
import type { OutputOf } from '../../../src/core/capability.ts'
import type { login } from '../../../src/features/accounts/sign-in.ts'
import type { UserResponse } from '../../../src/features/accounts/users.ts'
import type { CaseResponse } from '../../../src/features/cards/schemas.ts'

export type User = z.output<typeof UserResponse>
export type TokenResponse = OutputOf<typeof login>
/** A call whose capability is still on its way into the table of contents. */
export type Pending<Input, Output> = { input: z.ZodType<unknown, Input>; output: z.ZodType<Output> }

export type Card = z.output<typeof CaseResponse>
export type CardType = Card['card_type']
export type Scope = 'personal' | 'workspace' | 'public'
export type FeedbackCounts = Card['feedback']
export type FeedbackKind = keyof FeedbackCounts
export type Evidence = NonNullable<Card['evidences']>[number]

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
