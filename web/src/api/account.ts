import type { changeProfile as changeProfileCapability } from '#server/features/accounts/settings.ts'
import type { readPolicy } from '#server/features/credits/ledger.ts'
import type { readServiceWarnings } from '#server/features/health/health.ts'
import type { createApiKey, deleteApiKey, listApiKeys } from '#server/features/identity/api-keys.ts'
import type {
  cancelEmailChange as cancelEmailChangeCapability,
  changeEmail as changeEmailCapability,
  requestPasswordReset,
  resendVerification as resendVerificationCapability,
  resetPassword as resetPasswordCapability,
  verifyEmail as verifyEmailCapability,
} from '#server/features/identity/email-links.ts'
import type { logout as logoutCapability } from '#server/features/identity/sessions.ts'
import type {
  me as meCapability,
  submitOnboarding as submitOnboardingCapability,
} from '#server/features/identity/users.ts'
import type {
  login as loginCapability,
  loginWithGoogle as loginWithGoogleCapability,
  register as registerCapability,
} from '#server/features/workspaces/sign-in.ts'
import { call } from './client.ts'

export const register = call<typeof registerCapability>('POST /api/v1/auth/register')
export const login = call<typeof loginCapability>('POST /api/v1/auth/login')
export const loginWithGoogle = call<typeof loginWithGoogleCapability>('POST /api/v1/auth/google')
export const logout = call<typeof logoutCapability>('POST /api/v1/auth/logout')
export const me = call<typeof meCapability>('GET /api/v1/auth/me')
export const submitOnboarding = call<typeof submitOnboardingCapability>('POST /api/v1/auth/onboarding')
export const requestReset = call<typeof requestPasswordReset>('POST /api/v1/auth/password/reset-request')
export const resetPassword = call<typeof resetPasswordCapability>('POST /api/v1/auth/password/reset')
export const verifyEmail = call<typeof verifyEmailCapability>('POST /api/v1/auth/verify-email')
export const resendVerification = call<typeof resendVerificationCapability>(
  'POST /api/v1/auth/verify-email/resend',
)
export const changeProfile = call<typeof changeProfileCapability>('PATCH /api/v1/auth/me')
export const changeEmail = call<typeof changeEmailCapability>('POST /api/v1/auth/email')
export const cancelEmailChange = call<typeof cancelEmailChangeCapability>('DELETE /api/v1/auth/email')
export const listKeys = call<typeof listApiKeys>('GET /api/v1/auth/api-keys')
export const createKey = call<typeof createApiKey>('POST /api/v1/auth/api-keys')
export const deleteKey = call<typeof deleteApiKey>('DELETE /api/v1/auth/api-keys/{key_id}')
export const serviceWarnings = call<typeof readServiceWarnings>('GET /api/v1/admin/warnings')
export const creditsPolicy = call<typeof readPolicy>('GET /api/v1/credits/policy')
