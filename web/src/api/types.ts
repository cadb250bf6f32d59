// The shapes that the pages work with, all of them taken from the declarations of the capabilities.
import type { z } from 'zod'
import type { OutputOf } from '#server/core/capability.ts'
import type { listLinks } from '#server/features/card-links/links.ts'
import type { CaseListItem, CaseResponse } from '#server/features/cards/schemas.ts'
import type { UserResponse } from '#server/features/identity/users/users.ts'
import type { login } from '#server/features/joining/sign-in.ts'
import type { SearchResponse as SearchAnswer } from '#server/features/search/schemas.ts'
import type { listVerdicts } from '#server/features/verdicts/list-verdicts.ts'

export type User = z.output<typeof UserResponse>
export type TokenResponse = OutputOf<typeof login>

export type Card = z.output<typeof CaseResponse>
export type ListedCard = z.output<typeof CaseListItem>
export type CardType = Card['card_type']
type FeedbackCounts = Card['feedback']
export type FeedbackKind = keyof FeedbackCounts
export type Evidence = NonNullable<Card['evidences']>[number]
export type Trust = NonNullable<Card['trust']>
export type Verdict = OutputOf<typeof listVerdicts>['items'][number]
export type CardLink = OutputOf<typeof listLinks>['items'][number]

type SearchResponse = z.output<typeof SearchAnswer>
export type ActionCard = NonNullable<SearchResponse['action_card']>
