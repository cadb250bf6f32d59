import type { z } from 'zod'
import type { CaseListItem, CaseResponse } from '#server/features/cards/card.ts'
import type { UserResponse } from '#server/features/identity/users.ts'
import type { SearchResponse as SearchAnswer } from '#server/features/search/schemas.ts'
import type { RouteAnswer, RouteInput } from './routes.ts'

export type User = z.output<typeof UserResponse>
export type TokenResponse = RouteAnswer<'POST /api/v1/auth/login'>

export type Card = z.output<typeof CaseResponse>
export type ListedCard = z.output<typeof CaseListItem>
export type CardType = Card['card_type']
export type Evidence = NonNullable<Card['evidences']>[number]
export type Trust = NonNullable<Card['trust']>
export type Verdict = RouteAnswer<'GET /api/v1/cards/{card_id}/verdicts'>['items'][number]
export type CardLink = RouteAnswer<'GET /api/v1/cards/{card_id}/links'>['items'][number]

type SearchResponse = z.output<typeof SearchAnswer>
export type ActionCard = NonNullable<SearchResponse['action_card']>

export type BoxInput = RouteInput<'POST /api/v1/search/box'>
export type BoxAnswer = RouteAnswer<'POST /api/v1/search/box'>
export type BoxHit = NonNullable<BoxAnswer['mine']>['results'][number]
export type BoxEvent = NonNullable<BoxAnswer['memory']>['results'][number]
type KeptSearches = RouteAnswer<'GET /api/v1/searches'>
export type KeptSearch = KeptSearches['recent'][number]

type CommentPage = RouteAnswer<'GET /api/v1/cards/{card_id}/comments'>
export type Comment = CommentPage['items'][number]

export type CardImage = RouteAnswer<'GET /api/v1/cards/{card_id}/images'>['items'][number]

export type ReviewItem = RouteAnswer<'GET /api/v1/cards/review-queue'>['items'][number]

export type ModerationMatter = RouteAnswer<'GET /api/v1/moderation/matters'>['items'][number]
export type WholeMatter = RouteAnswer<'GET /api/v1/moderation/matters/{matter_id}'>
export type OwnMatter = RouteAnswer<'GET /api/v1/cards/{card_id}/moderation'>['matters'][number]
export type PublishingBan = RouteAnswer<'GET /api/v1/moderation/bans'>['items'][number]

export type CardDraft = RouteAnswer<'GET /api/v1/drafts'>['items'][number]

/** An event as lists show it, without its provenance. */
export type MemoryEvent = Omit<RouteAnswer<'GET /api/v1/project-context/events/{raw_id}'>, 'provenance'>
export type EventType = MemoryEvent['event_type']
export type MemoryProject = RouteAnswer<'GET /api/v1/project-context/projects'>['items'][number]
export type MemorySearchAnswer = RouteAnswer<'GET /api/v1/project-context/search'>
export type MemoryHit = MemorySearchAnswer['results'][number]
export type CardProposal = RouteAnswer<'POST /api/v1/project-context/events/{raw_id}/card-proposal'>

export type Material = RouteAnswer<'GET /api/v1/raw-materials/{raw_id}'>

export type Workspace = RouteAnswer<'GET /api/v1/workspaces/{workspace_id}'>
export type Member = RouteAnswer<'GET /api/v1/workspaces/{workspace_id}/members'>[number]
export type Role = Member['role']

export type Invite = RouteAnswer<'GET /api/v1/workspaces/{workspace_id}/invites'>[number]
export type InviteAction = RouteAnswer<'POST /api/v1/workspaces/{workspace_id}/invites'>
export type InviteView = RouteAnswer<'GET /api/v1/workspaces/invites/{token}'>
export type MyInvitation = RouteAnswer<'GET /api/v1/invitations'>[number]
export type Deletion = RouteAnswer<'GET /api/v1/workspaces/{workspace_id}/deletion'>
export type AuditEntry = RouteAnswer<'GET /api/v1/workspaces/{workspace_id}/audit'>['items'][number]

export type TeamWeek = RouteAnswer<'GET /api/v1/workspaces/{workspace_id}/week'>

export type InboxNotice = RouteAnswer<'GET /api/v1/notices'>['items'][number]

export type Plan = RouteAnswer<'GET /api/v1/billing/plans'>[number]
export type Pack = RouteAnswer<'GET /api/v1/billing/credit-packs'>[number]
export type BillingStatus = RouteAnswer<'GET /api/v1/billing/status'>
export type InviteCode = RouteAnswer<'GET /api/v1/billing/invites'>[number]
export type Redeemed = RouteAnswer<'POST /api/v1/billing/redeem-invite'>
export type LedgerEntry = RouteAnswer<'GET /api/v1/credits/history'>['items'][number]

export type ApiKey = RouteAnswer<'GET /api/v1/auth/api-keys'>[number]
export type Scope = ApiKey['scopes'][number]
export type ConnectedApp = RouteAnswer<'GET /api/v1/auth/connected-apps'>[number]
export type RecordedSharing = RouteAnswer<'GET /api/v1/user/sharing'>
export type Settings = RouteAnswer<'GET /api/v1/user/settings'>

export type Ticket = RouteAnswer<'GET /api/v1/support/tickets/{ticket_id}'>
export type ListedTicket = RouteAnswer<'GET /api/v1/support/tickets'>['items'][number]

export type GuideHit = RouteAnswer<'GET /api/v1/guide'>['hits'][number]
export type GuideSection = RouteAnswer<'GET /api/v1/guide/{page}'>['sections'][number]

type FirstSteps = RouteAnswer<'GET /api/v1/auth/first-steps'>
export type StepName = FirstSteps['steps'][number]['step']

export type Effects = RouteAnswer<'GET /api/v1/effects'>
export type EffectDays = RouteAnswer<'GET /api/v1/effects/days'>['days']
