import type { Capability } from './core/capability.ts'
import type { RawRoute } from './core/http/raw-route.ts'
import { aiGuide } from './features/ai-guide/ai-guide.ts'
import { readAudit, readWorkspaceAudit } from './features/audit-log/audit-log.ts'
import { listCreditPacks, listPlans } from './features/billing/catalogue.ts'
import { checkoutCredits, checkoutPlan, openPortal, readStatus } from './features/billing/checkout.ts'
import { developmentPages } from './features/billing/development.http.ts'
import { simulateUpgrade } from './features/billing/simulate.ts'
import { billingWebhook } from './features/billing/webhook.http.ts'
import { linkCards, listLinks, unlinkCards } from './features/card-links/links.ts'
import { mergeCard, unmergeCard } from './features/card-links/merge.ts'
import { deleteCard, undeleteCard } from './features/cards/delete.ts'
import { cardHistory, cardVersion, restoreCard } from './features/cards/history.ts'
import { readImage, uploadImage } from './features/cards/images/images.http.ts'
import { deleteImage, listCardImages } from './features/cards/images/images.ts'
import { moveCard } from './features/cards/move.ts'
import { publishCard } from './features/cards/publish.ts'
import { getCard, listCardsPage, listCases } from './features/cards/read.ts'
import { recordCard } from './features/cards/record.ts'
import { shareCard, unpublishCard } from './features/cards/share.ts'
import { similarTo, similarToDraft } from './features/cards/similar.ts'
import { cardStats } from './features/cards/stats.ts'
import { updateCard } from './features/cards/update.ts'
import { commandPackages } from './features/command-package/command-package.http.ts'
import { createComment, deleteComment, editComment, listComments } from './features/comments/comments.ts'
import { readHistory } from './features/credit-history/credit-history.ts'
import { readBalance } from './features/credits/balance.ts'
import { readPolicy } from './features/credits/policy.ts'
import { reconcileCredits } from './features/credits/reconcile.ts'
import { readEffects } from './features/effects/effects.ts'
import { effectRows } from './features/effects/rows.http.ts'
import { feedbackStats, giveFeedback, listFeedback, withdrawFeedback } from './features/feedback/feedback.ts'
import { dismissFirstSteps, readFirstSteps } from './features/first-steps/first-steps.ts'
import { addSamples, removeSamples } from './features/first-steps/samples.ts'
import { guidePages } from './features/guide/guide.http.ts'
import { listGuide, readGuidePage } from './features/guide/read-guide.ts'
import { health, ready } from './features/health/health.ts'
import { readServiceWarnings } from './features/health/service-warnings.ts'
import {
  createAgentKey,
  createApiKey,
  deleteApiKey,
  endCurrentKey,
  listApiKeys,
} from './features/identity/credentials/api-keys.ts'
import { endSession, listSessions, logout } from './features/identity/credentials/sessions.ts'
import { disconnectApp, listConnectedApps } from './features/identity/oauth/connected-apps.ts'
import { oauthRoutes } from './features/identity/oauth/oauth.http.ts'
import { changePassword } from './features/identity/recovery/change-password.ts'
import { cancelEmailChange, changeEmail } from './features/identity/recovery/email-change.ts'
import { resendVerification, resetPassword, verifyEmail } from './features/identity/recovery/email-links.ts'
import { signOutEverywhere } from './features/identity/recovery/end-access.ts'
import { requestPasswordReset } from './features/identity/recovery/reset-requests.ts'
import { me, submitOnboarding } from './features/identity/users/users.ts'
import { listNotices, readNotices, unreadNotices } from './features/inbox/inbox.ts'
import { addMember, addMemberByEmail } from './features/invitations/add-members.ts'
import { acceptInvitation, declineInvitation, listMyInvitations } from './features/invitations/addressed.ts'
import { acceptInvite, listInvites, revokeInvite, viewInvite } from './features/invitations/invitations.ts'
import { invite, resendInvite } from './features/invitations/send.ts'
import {
  createInvite,
  listMyInvites,
  redeemInvite,
  withdrawInvite,
} from './features/invite-codes/invite-codes.ts'
import { login, loginWithGoogle, register } from './features/joining/sign-in.ts'
import {
  clearSearchHistory,
  forgetSearch,
  listKeptSearches,
  rememberSearch,
  saveSearch,
} from './features/kept-searches/kept-searches.ts'
import { deleteAccount, deleteAccountByPassword } from './features/leaving/delete-account.ts'
import { deleteWorkspace, previewWorkspaceDeletion } from './features/leaving/delete-workspace.ts'
import { exportAccount } from './features/leaving/export.http.ts'
import { importLibrary } from './features/library-sharing/import.ts'
import { listPulledCards } from './features/library-sharing/pulled.ts'
import { librarySnapshots } from './features/library-sharing/snapshot.http.ts'
import {
  createMaterial,
  deleteMaterial,
  listRawMaterials,
  readMaterial,
} from './features/materials/materials.ts'
import { appendEvent, deleteEvent, readEvent } from './features/memory/events.ts'
import { transferPreferences } from './features/memory/preferences.ts'
import { deleteProject, listProjects, renameProject } from './features/memory/projects.ts'
import { searchMemory } from './features/memory/search.ts'
import { readSnapshot } from './features/memory/snapshot.ts'
import { listEvents } from './features/memory/timeline.ts'
import { appendTurn } from './features/memory/turns.ts'
import { proposeCard, recordFromMemory } from './features/memory-cards/memory-cards.ts'
import { acceptDraft } from './features/mining/accept.ts'
import { dismissDraft, getDraft, listDrafts, offerDrafts, reopenDraft } from './features/mining/drafts.ts'
import { appealDecision, askForLook } from './features/moderation/appeal.ts'
import { liftBan, listPublishingBans } from './features/moderation/bans.ts'
import { decideMatter } from './features/moderation/decide.ts'
import { getModeration, listModeration, readOwnModeration } from './features/moderation/queue.ts'
import { readReportable, reportCard } from './features/moderation/report.ts'
import { pagesStylesheet } from './features/pages/pages.http.ts'
import { publicLibrary } from './features/public-library/public-library.http.ts'
import { recall } from './features/recall/recall.ts'
import { searchCards } from './features/search/search.ts'
import { searchEverywhere } from './features/search-box/search-box.ts'
import { changeProfile } from './features/settings/profile.ts'
import { readSettings, replaceSettings } from './features/settings/settings.ts'
import { listCites, writeCites } from './features/staleness/cites.ts'
import { reviewQueue, setReviewInterval } from './features/staleness/review-queue.ts'
import { streamSupportChat } from './features/support/chat.http.ts'
import { supportChat } from './features/support/chat.ts'
import { listMyTickets, replyToTicket } from './features/support/replies.ts'
import { createTicket, readAttachment } from './features/support/tickets.http.ts'
import { closeTicket, getTicket, listTickets } from './features/support/tickets.ts'
import { readTeamWeek } from './features/team/week.ts'
import { trustSubscribers } from './features/trust/refresh-soon.ts'
import { listVerdicts } from './features/verdicts/list-verdicts.ts'
import { verifyCard, withdrawVerdicts } from './features/verdicts/verdicts.ts'
import { changeMemberRole, listMembers, removeMember } from './features/workspaces/members.ts'
import {
  changeWorkspace,
  createWorkspace,
  getWorkspace,
  listWorkspaces,
} from './features/workspaces/workspaces.ts'

/** All that the product can do: the table of contents. */
export const capabilities: readonly Capability[] = [
  health,
  ready,

  register,
  login,
  loginWithGoogle,
  logout,
  signOutEverywhere,
  listSessions,
  endSession,
  me,
  changeProfile,
  submitOnboarding,
  readFirstSteps,
  dismissFirstSteps,
  addSamples,
  removeSamples,
  changePassword,
  requestPasswordReset,
  resetPassword,
  verifyEmail,
  resendVerification,
  changeEmail,
  cancelEmailChange,
  createApiKey,
  createAgentKey,
  listApiKeys,
  deleteApiKey,
  endCurrentKey,
  readSettings,
  replaceSettings,
  deleteAccount,
  deleteAccountByPassword,

  createWorkspace,
  listWorkspaces,
  getWorkspace,
  changeWorkspace,
  previewWorkspaceDeletion,
  deleteWorkspace,
  addMember,
  addMemberByEmail,
  listMembers,
  changeMemberRole,
  removeMember,
  invite,
  listInvites,
  resendInvite,
  revokeInvite,
  viewInvite,
  acceptInvite,
  listMyInvitations,
  acceptInvitation,
  declineInvitation,
  readTeamWeek,
  readWorkspaceAudit,
  readAudit,
  readServiceWarnings,

  listNotices,
  unreadNotices,
  readNotices,

  readPolicy,
  readBalance,
  readHistory,
  reconcileCredits,

  listConnectedApps,
  disconnectApp,

  readSnapshot,
  searchMemory,
  appendEvent,
  appendTurn,
  readEvent,
  listEvents,
  deleteEvent,
  transferPreferences,
  proposeCard,
  recordFromMemory,
  listProjects,
  renameProject,
  deleteProject,

  listDrafts,
  getDraft,
  offerDrafts,
  acceptDraft,
  dismissDraft,
  reopenDraft,
  readEffects,

  createMaterial,
  listRawMaterials,
  readMaterial,
  deleteMaterial,

  ...aiGuide(() => capabilities),
  listGuide,
  readGuidePage,
  listPlans,
  listCreditPacks,
  readStatus,
  checkoutPlan,
  checkoutCredits,
  openPortal,
  simulateUpgrade,
  createInvite,
  listMyInvites,
  withdrawInvite,
  redeemInvite,

  recordCard,
  listCases,
  listCardsPage,
  cardStats,
  getCard,
  updateCard,
  shareCard,
  moveCard,
  publishCard,
  unpublishCard,
  similarTo,
  cardHistory,
  cardVersion,
  restoreCard,
  deleteCard,
  undeleteCard,
  giveFeedback,
  withdrawFeedback,
  feedbackStats,
  verifyCard,
  similarToDraft,
  linkCards,
  listLinks,
  unlinkCards,
  mergeCard,
  unmergeCard,
  writeCites,
  listCites,
  reviewQueue,
  setReviewInterval,
  withdrawVerdicts,
  listVerdicts,
  listFeedback,
  listComments,
  createComment,
  editComment,
  deleteComment,
  listCardImages,
  deleteImage,

  importLibrary,
  listPulledCards,
  readReportable,
  reportCard,
  askForLook,
  readOwnModeration,
  listModeration,
  getModeration,
  decideMatter,
  appealDecision,
  listPublishingBans,
  liftBan,

  searchCards,
  recall,
  searchEverywhere,
  listKeptSearches,
  rememberSearch,
  saveSearch,
  forgetSearch,
  clearSearchHistory,

  supportChat,
  listTickets,
  getTicket,
  closeTicket,
  listMyTickets,
  replyToTicket,
]

/** The few routes that are more than JSON in and JSON out. */
export const rawRoutes: readonly RawRoute[] = [
  exportAccount,
  effectRows,
  billingWebhook,
  ...developmentPages,
  createTicket,
  readAttachment,
  uploadImage,
  readImage,
  streamSupportChat,
  pagesStylesheet,
  ...guidePages,
  ...publicLibrary,
  ...librarySnapshots,
  ...commandPackages,
  ...oauthRoutes,
]

/** Who runs when something happens in another feature. */
export const subscribers = trustSubscribers
