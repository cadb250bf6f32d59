import type { InputOf, OutputOf, RouteOf } from '#server/core/capability.ts'
import type { deleteAccountByPassword } from '#server/features/accounts/delete-account.ts'
import type { deleteWorkspace, previewWorkspaceDeletion } from '#server/features/accounts/delete-workspace.ts'
import type { changeProfile, readSettings, replaceSettings } from '#server/features/accounts/settings.ts'
import type { chooseSharing, readSharing, shareEarlierCards } from '#server/features/accounts/sharing.ts'
import type {
  checkoutCredits,
  checkoutPlan,
  openPortal,
  readStatus,
} from '#server/features/billing/checkout.ts'
import type { readHistory } from '#server/features/billing/credit-history.ts'
import type { listCreditPacks, listPlans } from '#server/features/billing/plans.ts'
import type {
  createComment,
  deleteComment,
  editComment,
  listComments,
} from '#server/features/cards/comments.ts'
import type { deleteCard, undeleteCard } from '#server/features/cards/delete.ts'
import type { deleteImage, listCardImages } from '#server/features/cards/images.ts'
import type { cardStats } from '#server/features/cards/list.ts'
import type { deleteMaterial, listRawMaterials, readMaterial } from '#server/features/cards/materials.ts'
import type { moveCard, publishCard, shareCard, unpublishCard } from '#server/features/cards/publish.ts'
import type { getCard, listCases } from '#server/features/cards/read.ts'
import type {
  cardHistory,
  cardVersion,
  recordCard,
  restoreCard,
  updateCard,
} from '#server/features/cards/save.ts'
import type { similarTo, similarToDraft } from '#server/features/cards/similar.ts'
import type {
  createInvite,
  listMyInvites,
  redeemInvite,
  withdrawInvite,
} from '#server/features/credits/invite-codes.ts'
import type { readBalance, readPolicy } from '#server/features/credits/ledger.ts'
import type { listGuide, readGuidePage } from '#server/features/guide/guide.ts'
import type { readServiceWarnings } from '#server/features/health/health.ts'
import type {
  changeApiKey,
  createApiKey,
  deleteApiKey,
  listApiKeys,
} from '#server/features/identity/api-keys.ts'
import type {
  cancelEmailChange,
  changeEmail,
  requestPasswordReset,
  resendVerification,
  resetPassword,
  verifyEmail,
} from '#server/features/identity/email-links.ts'
import type { dismissFirstSteps, readFirstSteps } from '#server/features/identity/first-steps.ts'
import type { disconnectApp, listConnectedApps } from '#server/features/identity/oauth-grants.ts'
import type { changePassword } from '#server/features/identity/passwords.ts'
import type {
  endSession,
  listSessions,
  logout,
  signOutEverywhere,
} from '#server/features/identity/sessions.ts'
import type { me, submitOnboarding } from '#server/features/identity/users.ts'
import type { listNotices, readNotices, unreadNotices } from '#server/features/inbox/inbox.ts'
import type { addSamples, removeSamples } from '#server/features/inbox/sample-cards.ts'
import type { readTeamWeek } from '#server/features/inbox/team-week.ts'
import type { deleteCommit, listCommits } from '#server/features/memory/commits.ts'
import type { appendEvent, deleteEvent, listEvents, readEvent } from '#server/features/memory/events.ts'
import type { listMarks, markPassage, unmarkPassage } from '#server/features/memory/marks.ts'
import type { transferPreferences } from '#server/features/memory/preferences.ts'
import type { readSnapshot, searchMemory } from '#server/features/memory/project-context.ts'
import type { deleteProject, listProjects, renameProject } from '#server/features/memory/projects.ts'
import type { proposeCard, recordFromMemory } from '#server/features/memory/propose-card.ts'
import type { acceptDraft } from '#server/features/mining/accept.ts'
import type { dismissDraft, listDrafts, reopenDraft } from '#server/features/mining/drafts.ts'
import type { appealDecision, askForLook } from '#server/features/moderation/appeals.ts'
import type { decideMatter, liftBan, listPublishingBans } from '#server/features/moderation/decisions.ts'
import type { getModeration, listModeration, readOwnModeration } from '#server/features/moderation/queue.ts'
import type { readReportable, reportCard } from '#server/features/moderation/reports.ts'
import type { searchCards } from '#server/features/search/search.ts'
import type { searchEverywhere } from '#server/features/search/search-box.ts'
import type {
  clearSearchHistory,
  forgetSearch,
  listKeptSearches,
  rememberSearch,
  saveSearch,
} from '#server/features/search/search-history.ts'
import type {
  changeServerSettings,
  readServerSettings,
} from '#server/features/server-settings/server-settings.ts'
import type { listMyTickets, replyToTicket } from '#server/features/support/replies.ts'
import type { closeTicket, getTicket, listTickets } from '#server/features/support/tickets.ts'
import type { writeCites } from '#server/features/trust/card-cites.ts'
import type { readEffectDays, readEffects } from '#server/features/trust/effects.ts'
import type { linkCards, listLinks, unlinkCards } from '#server/features/trust/links.ts'
import type { mergeCard, unmergeCard } from '#server/features/trust/merge.ts'
import type { dismissDoubts, reviewQueue } from '#server/features/trust/review-queue.ts'
import type { listVerdicts, verifyCard, withdrawVerdicts } from '#server/features/trust/verdicts.ts'
import type { addMember } from '#server/features/workspaces/add-members.ts'
import type { readWorkspaceAudit } from '#server/features/workspaces/audit-log.ts'
import type {
  acceptInvitation,
  acceptInvite,
  declineInvitation,
  listInvites,
  listMyInvitations,
  revokeInvite,
  viewInvite,
} from '#server/features/workspaces/invitations.ts'
import type { changeMemberRole, listMembers, removeMember } from '#server/features/workspaces/members.ts'
import type { invite, resendInvite } from '#server/features/workspaces/send-invitations.ts'
import type { login, loginWithGoogle, register } from '#server/features/workspaces/sign-in.ts'
import type {
  changeWorkspace,
  createWorkspace,
  getWorkspace,
  listWorkspaces,
} from '#server/features/workspaces/workspaces.ts'

/** The capabilities that the web app calls. Only their types reach the browser. */
type Called =
  | typeof acceptDraft
  | typeof acceptInvitation
  | typeof acceptInvite
  | typeof addMember
  | typeof addSamples
  | typeof appealDecision
  | typeof appendEvent
  | typeof askForLook
  | typeof cancelEmailChange
  | typeof cardHistory
  | typeof cardStats
  | typeof cardVersion
  | typeof changeEmail
  | typeof changeMemberRole
  | typeof changePassword
  | typeof changeApiKey
  | typeof changeProfile
  | typeof chooseSharing
  | typeof readSharing
  | typeof shareEarlierCards
  | typeof changeServerSettings
  | typeof changeWorkspace
  | typeof checkoutCredits
  | typeof checkoutPlan
  | typeof clearSearchHistory
  | typeof closeTicket
  | typeof createApiKey
  | typeof createComment
  | typeof createInvite
  | typeof createWorkspace
  | typeof decideMatter
  | typeof declineInvitation
  | typeof deleteAccountByPassword
  | typeof deleteApiKey
  | typeof deleteCard
  | typeof deleteCommit
  | typeof deleteComment
  | typeof deleteEvent
  | typeof deleteImage
  | typeof deleteMaterial
  | typeof deleteProject
  | typeof deleteWorkspace
  | typeof disconnectApp
  | typeof dismissDoubts
  | typeof dismissDraft
  | typeof dismissFirstSteps
  | typeof editComment
  | typeof endSession
  | typeof forgetSearch
  | typeof getCard
  | typeof getModeration
  | typeof getTicket
  | typeof getWorkspace
  | typeof invite
  | typeof liftBan
  | typeof linkCards
  | typeof listApiKeys
  | typeof listCardImages
  | typeof listCases
  | typeof listComments
  | typeof listCommits
  | typeof listConnectedApps
  | typeof listCreditPacks
  | typeof listDrafts
  | typeof listEvents
  | typeof listGuide
  | typeof listInvites
  | typeof listKeptSearches
  | typeof listLinks
  | typeof listMarks
  | typeof listMembers
  | typeof listModeration
  | typeof listMyInvitations
  | typeof listMyInvites
  | typeof listMyTickets
  | typeof listNotices
  | typeof listPlans
  | typeof listProjects
  | typeof listPublishingBans
  | typeof listRawMaterials
  | typeof listSessions
  | typeof listTickets
  | typeof listVerdicts
  | typeof listWorkspaces
  | typeof login
  | typeof loginWithGoogle
  | typeof logout
  | typeof markPassage
  | typeof me
  | typeof mergeCard
  | typeof moveCard
  | typeof openPortal
  | typeof previewWorkspaceDeletion
  | typeof proposeCard
  | typeof publishCard
  | typeof readBalance
  | typeof readEffectDays
  | typeof readEffects
  | typeof readEvent
  | typeof readFirstSteps
  | typeof readGuidePage
  | typeof readHistory
  | typeof readMaterial
  | typeof readNotices
  | typeof readOwnModeration
  | typeof readPolicy
  | typeof readReportable
  | typeof readServerSettings
  | typeof readServiceWarnings
  | typeof readSettings
  | typeof readSnapshot
  | typeof readStatus
  | typeof readTeamWeek
  | typeof readWorkspaceAudit
  | typeof recordCard
  | typeof recordFromMemory
  | typeof redeemInvite
  | typeof register
  | typeof rememberSearch
  | typeof removeMember
  | typeof removeSamples
  | typeof renameProject
  | typeof reopenDraft
  | typeof replaceSettings
  | typeof replyToTicket
  | typeof reportCard
  | typeof requestPasswordReset
  | typeof resendInvite
  | typeof resendVerification
  | typeof resetPassword
  | typeof restoreCard
  | typeof reviewQueue
  | typeof revokeInvite
  | typeof saveSearch
  | typeof searchCards
  | typeof searchEverywhere
  | typeof searchMemory
  | typeof shareCard
  | typeof signOutEverywhere
  | typeof similarTo
  | typeof similarToDraft
  | typeof submitOnboarding
  | typeof transferPreferences
  | typeof undeleteCard
  | typeof unlinkCards
  | typeof unmarkPassage
  | typeof unmergeCard
  | typeof unpublishCard
  | typeof unreadNotices
  | typeof updateCard
  | typeof verifyCard
  | typeof verifyEmail
  | typeof viewInvite
  | typeof withdrawInvite
  | typeof withdrawVerdicts
  | typeof writeCites

type Routes = { [C in Called as RouteOf<C>]: C }

export type RouteName = keyof Routes
export type RouteInput<R extends RouteName> = InputOf<Routes[R]>
export type RouteAnswer<R extends RouteName> = OutputOf<Routes[R]>

/** The fields that a route with a body takes from the query string. */
export type QueryFields = {
  [R in RouteName as NonNullable<Routes[R]['query']> extends readonly [] ? never : R]: NonNullable<
    Routes[R]['query']
  >
}
