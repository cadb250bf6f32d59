import type { InputOf, OutputOf, RouteOf } from '#server/core/capability.ts'
import type { readWorkspaceAudit } from '#server/features/audit-log/audit-log.ts'
import type { listCreditPacks, listPlans } from '#server/features/billing/catalogue.ts'
import type {
  checkoutCredits,
  checkoutPlan,
  openPortal,
  readStatus,
} from '#server/features/billing/checkout.ts'
import type { linkCards, listLinks, unlinkCards } from '#server/features/card-links/links.ts'
import type { mergeCard, unmergeCard } from '#server/features/card-links/merge.ts'
import type { deleteCard, undeleteCard } from '#server/features/cards/delete.ts'
import type { cardHistory, cardVersion, restoreCard } from '#server/features/cards/history.ts'
import type { deleteImage, listCardImages } from '#server/features/cards/images/images.ts'
import type { moveCard } from '#server/features/cards/move.ts'
import type { publishCard } from '#server/features/cards/publish.ts'
import type { getCard, listCases } from '#server/features/cards/read.ts'
import type { recordCard } from '#server/features/cards/record.ts'
import type { shareCard, unpublishCard } from '#server/features/cards/share.ts'
import type { similarTo, similarToDraft } from '#server/features/cards/similar.ts'
import type { cardStats } from '#server/features/cards/stats.ts'
import type { updateCard } from '#server/features/cards/update.ts'
import type {
  createComment,
  deleteComment,
  editComment,
  listComments,
} from '#server/features/comments/comments.ts'
import type { readHistory } from '#server/features/credit-history/credit-history.ts'
import type { readBalance } from '#server/features/credits/balance.ts'
import type { readPolicy } from '#server/features/credits/policy.ts'
import type { readEffects } from '#server/features/effects/effects.ts'
import type { giveFeedback, listFeedback, withdrawFeedback } from '#server/features/feedback/feedback.ts'
import type { dismissFirstSteps, readFirstSteps } from '#server/features/first-steps/first-steps.ts'
import type { addSamples, removeSamples } from '#server/features/first-steps/samples.ts'
import type { listGuide, readGuidePage } from '#server/features/guide/read-guide.ts'
import type { readServiceWarnings } from '#server/features/health/service-warnings.ts'
import type {
  createApiKey,
  deleteApiKey,
  listApiKeys,
} from '#server/features/identity/credentials/api-keys.ts'
import type { endSession, listSessions, logout } from '#server/features/identity/credentials/sessions.ts'
import type { disconnectApp, listConnectedApps } from '#server/features/identity/oauth/connected-apps.ts'
import type { changePassword } from '#server/features/identity/recovery/change-password.ts'
import type { cancelEmailChange, changeEmail } from '#server/features/identity/recovery/email-change.ts'
import type {
  resendVerification,
  resetPassword,
  verifyEmail,
} from '#server/features/identity/recovery/email-links.ts'
import type { signOutEverywhere } from '#server/features/identity/recovery/end-access.ts'
import type { requestPasswordReset } from '#server/features/identity/recovery/reset-requests.ts'
import type { me, submitOnboarding } from '#server/features/identity/users/users.ts'
import type { listNotices, readNotices, unreadNotices } from '#server/features/inbox/inbox.ts'
import type { addMember } from '#server/features/invitations/add-members.ts'
import type {
  acceptInvitation,
  declineInvitation,
  listMyInvitations,
} from '#server/features/invitations/addressed.ts'
import type {
  acceptInvite,
  listInvites,
  revokeInvite,
  viewInvite,
} from '#server/features/invitations/invitations.ts'
import type { invite, resendInvite } from '#server/features/invitations/send.ts'
import type {
  createInvite,
  listMyInvites,
  redeemInvite,
  withdrawInvite,
} from '#server/features/invite-codes/invite-codes.ts'
import type { login, loginWithGoogle, register } from '#server/features/joining/sign-in.ts'
import type {
  clearSearchHistory,
  forgetSearch,
  listKeptSearches,
  rememberSearch,
  saveSearch,
} from '#server/features/kept-searches/kept-searches.ts'
import type { deleteAccountByPassword } from '#server/features/leaving/delete-account.ts'
import type { deleteWorkspace, previewWorkspaceDeletion } from '#server/features/leaving/delete-workspace.ts'
import type { deleteMaterial, listRawMaterials, readMaterial } from '#server/features/materials/materials.ts'
import type { appendEvent, deleteEvent, readEvent } from '#server/features/memory/events.ts'
import type { transferPreferences } from '#server/features/memory/preferences.ts'
import type { deleteProject, listProjects, renameProject } from '#server/features/memory/projects.ts'
import type { searchMemory } from '#server/features/memory/search.ts'
import type { readSnapshot } from '#server/features/memory/snapshot.ts'
import type { listEvents } from '#server/features/memory/timeline.ts'
import type { proposeCard, recordFromMemory } from '#server/features/memory-cards/memory-cards.ts'
import type { acceptDraft } from '#server/features/mining/accept.ts'
import type { dismissDraft, listDrafts, reopenDraft } from '#server/features/mining/drafts.ts'
import type { appealDecision, askForLook } from '#server/features/moderation/appeal.ts'
import type { liftBan, listPublishingBans } from '#server/features/moderation/bans.ts'
import type { decideMatter } from '#server/features/moderation/decide.ts'
import type { getModeration, listModeration, readOwnModeration } from '#server/features/moderation/queue.ts'
import type { readReportable, reportCard } from '#server/features/moderation/report.ts'
import type { searchCards } from '#server/features/search/search.ts'
import type { searchEverywhere } from '#server/features/search-box/search-box.ts'
import type { changeProfile } from '#server/features/settings/profile.ts'
import type { readSettings, replaceSettings } from '#server/features/settings/settings.ts'
import type { writeCites } from '#server/features/staleness/cites.ts'
import type { reviewQueue } from '#server/features/staleness/review-queue.ts'
import type { listMyTickets, replyToTicket } from '#server/features/support/replies.ts'
import type { closeTicket, getTicket, listTickets } from '#server/features/support/tickets.ts'
import type { readTeamWeek } from '#server/features/team/week.ts'
import type { listVerdicts } from '#server/features/verdicts/list-verdicts.ts'
import type { verifyCard, withdrawVerdicts } from '#server/features/verdicts/verdicts.ts'
import type { changeMemberRole, listMembers, removeMember } from '#server/features/workspaces/members.ts'
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
  | typeof changeProfile
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
  | typeof deleteComment
  | typeof deleteEvent
  | typeof deleteImage
  | typeof deleteMaterial
  | typeof deleteProject
  | typeof deleteWorkspace
  | typeof disconnectApp
  | typeof dismissDraft
  | typeof dismissFirstSteps
  | typeof editComment
  | typeof endSession
  | typeof forgetSearch
  | typeof getCard
  | typeof getModeration
  | typeof getTicket
  | typeof getWorkspace
  | typeof giveFeedback
  | typeof invite
  | typeof liftBan
  | typeof linkCards
  | typeof listApiKeys
  | typeof listCardImages
  | typeof listCases
  | typeof listComments
  | typeof listConnectedApps
  | typeof listCreditPacks
  | typeof listDrafts
  | typeof listEvents
  | typeof listFeedback
  | typeof listGuide
  | typeof listInvites
  | typeof listKeptSearches
  | typeof listLinks
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
  | typeof me
  | typeof mergeCard
  | typeof moveCard
  | typeof openPortal
  | typeof previewWorkspaceDeletion
  | typeof proposeCard
  | typeof publishCard
  | typeof readBalance
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
  | typeof unmergeCard
  | typeof unpublishCard
  | typeof unreadNotices
  | typeof updateCard
  | typeof verifyCard
  | typeof verifyEmail
  | typeof viewInvite
  | typeof withdrawFeedback
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
