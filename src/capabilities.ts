import type { Capability, RawRoute } from './core/capability.ts'
import { deleteAccount, deleteAccountByPassword } from './features/accounts/delete-account.ts'
import { deleteWorkspace, previewWorkspaceDeletion } from './features/accounts/delete-workspace.ts'
import { exportAccount } from './features/accounts/export.ts'
import { changeProfile, readSettings, replaceSettings } from './features/accounts/settings.ts'
import {
  checkoutCredits,
  checkoutPlan,
  openPortal,
  readStatus,
  simulateUpgrade,
} from './features/billing/checkout.ts'
import { readHistory } from './features/billing/credit-history.ts'
import { developmentPages } from './features/billing/development-provider.ts'
import { listCreditPacks, listPlans } from './features/billing/plans.ts'
import { billingWebhook } from './features/billing/webhook.ts'
import { createComment, deleteComment, editComment, listComments } from './features/cards/comments.ts'
import { deleteCard, undeleteCard } from './features/cards/delete.ts'
import { deleteImage, listCardImages, readImage, uploadImage } from './features/cards/images.ts'
import { cardStats } from './features/cards/list.ts'
import { createMaterial, deleteMaterial, listRawMaterials, readMaterial } from './features/cards/materials.ts'
import { moveCard, publishCard, shareCard, unpublishCard } from './features/cards/publish.ts'
import { getCard, listCardsPage, listCases } from './features/cards/read.ts'
import { cardHistory, cardVersion, recordCard, restoreCard, updateCard } from './features/cards/save.ts'
import { similarTo, similarToDraft } from './features/cards/similar.ts'
import { createInvite, listMyInvites, redeemInvite, withdrawInvite } from './features/credits/invite-codes.ts'
import { readBalance, readPolicy } from './features/credits/ledger.ts'
import { reconcileCredits } from './features/credits/reconciliation.ts'
import { aiGuide } from './features/guide/ai-guide.ts'
import { commandPackages } from './features/guide/command-package.ts'
import { guidePages, listGuide, readGuidePage } from './features/guide/guide.ts'
import { health, readServiceWarnings, ready } from './features/health/health.ts'
import {
  createAgentKey,
  createApiKey,
  deleteApiKey,
  endCurrentKey,
  listApiKeys,
} from './features/identity/api-keys.ts'
import {
  cancelEmailChange,
  changeEmail,
  requestPasswordReset,
  resendVerification,
  resetPassword,
  verifyEmail,
} from './features/identity/email-links.ts'
import { dismissFirstSteps, readFirstSteps } from './features/identity/first-steps.ts'
import { disconnectApp, listConnectedApps } from './features/identity/oauth-grants.ts'
import { oauthRoutes } from './features/identity/oauth-routes.ts'
import { changePassword } from './features/identity/passwords.ts'
import { endSession, listSessions, logout, signOutEverywhere } from './features/identity/sessions.ts'
import { me, submitOnboarding } from './features/identity/users.ts'
import { listNotices, readNotices, unreadNotices } from './features/inbox/inbox.ts'
import { addSamples, removeSamples } from './features/inbox/sample-cards.ts'
import { readTeamWeek } from './features/inbox/team-week.ts'
import { importLibrary, listPulledCards } from './features/library/import.ts'
import { publicLibrary } from './features/library/public-pages.ts'
import { librarySnapshots } from './features/library/snapshot.ts'
import { appendEvent, deleteEvent, listEvents, readEvent } from './features/memory/events.ts'
import { transferPreferences } from './features/memory/preferences.ts'
import { appendTurn, readSnapshot, searchMemory } from './features/memory/project-context.ts'
import { deleteProject, listProjects, renameProject } from './features/memory/projects.ts'
import { proposeCard, recordFromMemory } from './features/memory/propose-card.ts'
import { acceptDraft } from './features/mining/accept.ts'
import { dismissDraft, getDraft, listDrafts, offerDrafts, reopenDraft } from './features/mining/drafts.ts'
import { appealDecision, askForLook } from './features/moderation/appeals.ts'
import { decideMatter, liftBan, listPublishingBans } from './features/moderation/decisions.ts'
import { getModeration, listModeration, readOwnModeration } from './features/moderation/queue.ts'
import { readReportable, reportCard } from './features/moderation/reports.ts'
import { recall } from './features/recall/recall.ts'
import { searchCards } from './features/search/search.ts'
import { searchEverywhere } from './features/search/search-box.ts'
import {
  clearSearchHistory,
  forgetSearch,
  listKeptSearches,
  rememberSearch,
  saveSearch,
} from './features/search/search-history.ts'
import { streamSupportChat, supportChat } from './features/support/chat.ts'
import { listMyTickets, replyToTicket } from './features/support/replies.ts'
import { createTicket, readAttachment } from './features/support/ticket-routes.ts'
import { closeTicket, getTicket, listTickets } from './features/support/tickets.ts'
import { listCites, writeCites } from './features/trust/card-cites.ts'
import { effectRows, readEffects } from './features/trust/effects.ts'
import { feedbackStats, giveFeedback, listFeedback, withdrawFeedback } from './features/trust/feedback.ts'
import { linkCards, listLinks, unlinkCards } from './features/trust/links.ts'
import { mergeCard, unmergeCard } from './features/trust/merge.ts'
import { trustSubscribers } from './features/trust/refresh.ts'
import { reviewQueue, setReviewInterval } from './features/trust/review-queue.ts'
import { listVerdicts, verifyCard, withdrawVerdicts } from './features/trust/verdicts.ts'
import { addMember, addMemberByEmail } from './features/workspaces/add-members.ts'
import { readAudit, readWorkspaceAudit } from './features/workspaces/audit-log.ts'
import {
  acceptInvitation,
  acceptInvite,
  declineInvitation,
  listInvites,
  listMyInvitations,
  revokeInvite,
  viewInvite,
} from './features/workspaces/invitations.ts'
import { changeMemberRole, listMembers, removeMember } from './features/workspaces/members.ts'
import { invite, resendInvite } from './features/workspaces/send-invitations.ts'
import { login, loginWithGoogle, register } from './features/workspaces/sign-in.ts'
import {
  changeWorkspace,
  createWorkspace,
  getWorkspace,
  listWorkspaces,
} from './features/workspaces/workspaces.ts'
import { pagesStylesheet } from './pages/page.ts'

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
