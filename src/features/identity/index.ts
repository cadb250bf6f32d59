export {
  changeApiKey,
  createAgentKey,
  createApiKey,
  deleteApiKey,
  endCurrentKey,
  listApiKeys,
} from './api-keys.ts'
export { viewerOf } from './credentials.ts'
export {
  answerResetRequests,
  cancelEmailChange,
  changeEmail,
  newResetLink,
  RESET_JOB,
  requestPasswordReset,
  resendVerification,
  resetPassword,
  sendVerificationMail,
  verifyEmail,
} from './email-links.ts'
export { dismissFirstSteps, firstStepSubscribers, readFirstSteps, sampleRows } from './first-steps.ts'
export { disconnectAllApps, disconnectApp, dropOAuthLeftovers, listConnectedApps } from './oauth-grants.ts'
export { bearerChallenge, GRANTABLE_SCOPES } from './oauth-protocol.ts'
export { oauthRoutes } from './oauth-routes.ts'
export {
  changePassword,
  dropOldFailures,
  forgetFailures,
  HASHING,
  hashPassword,
  limitGuessers,
  Password,
  passwordMatches,
  recordFailure,
  requireRecentProof,
} from './passwords.ts'
export {
  dropEndedAccess,
  endAccess,
  endReplacedSession,
  endSession,
  listSessions,
  logout,
  signOutEverywhere,
  startSession,
  TokenResponse,
} from './sessions.ts'
export { DEFAULT_SETTINGS, languageOf, type Settings, settingsOf, UserSettings } from './user-settings.ts'
export {
  type AccountAge,
  accountAge,
  accountState,
  cleanName,
  DisplayName,
  defaultWorkspaceOf,
  endSharingWith,
  factorOfAge,
  findUser,
  findUserByEmail,
  findUserByGoogle,
  hasAnyUser,
  homeOfCredential,
  insertUser,
  isOwnPrivateTeam,
  isPublishingEnabled,
  isServiceModerator,
  languageFor,
  listGrantedAdmins,
  me,
  presentUser,
  publishingDisabled,
  requireLiveCredential,
  requirePublishing,
  requireUser,
  setPlan,
  sharesByDefault,
  sharingTeamOf,
  submitOnboarding,
  UserResponse,
  updateUser,
} from './users.ts'
