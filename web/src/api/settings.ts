import type { OutputOf } from '#server/core/capability.ts'
import type { deleteAccountByPassword } from '#server/features/accounts/delete-account.ts'
import type {
  readSettings as ReadSettings,
  replaceSettings as ReplaceSettings,
} from '#server/features/accounts/settings.ts'
import type { listApiKeys } from '#server/features/identity/api-keys.ts'
import type {
  disconnectApp as DisconnectApp,
  listConnectedApps,
} from '#server/features/identity/oauth-grants.ts'
import type { changePassword as ChangePassword } from '#server/features/identity/passwords.ts'
import type {
  endSession as EndSession,
  listSessions as ListSessions,
  signOutEverywhere as SignOutEverywhere,
} from '#server/features/identity/sessions.ts'
import { call } from './client.ts'

export type ApiKey = OutputOf<typeof listApiKeys>[number]
export type Scope = ApiKey['scopes'][number]
export type ConnectedApp = OutputOf<typeof listConnectedApps>[number]
export type Settings = OutputOf<typeof ReadSettings>

export const readSettings = call<typeof ReadSettings>('GET /api/v1/user/settings')
export const replaceSettings = call<typeof ReplaceSettings>('PUT /api/v1/user/settings')
export const changePassword = call<typeof ChangePassword>('POST /api/v1/auth/password')
export const listApps = call<typeof listConnectedApps>('GET /api/v1/auth/connected-apps')
export const disconnectApp = call<typeof DisconnectApp>('DELETE /api/v1/auth/connected-apps/{app_id}')
export const deleteAccount = call<typeof deleteAccountByPassword>('POST /api/v1/auth/me/delete')
export const listSessions = call<typeof ListSessions>('GET /api/v1/auth/sessions')
export const endSession = call<typeof EndSession>('DELETE /api/v1/auth/sessions/{session_id}')
export const signOutEverywhere = call<typeof SignOutEverywhere>('POST /api/v1/auth/logout-everywhere')
