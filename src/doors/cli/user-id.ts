import type { Profile } from './profile.ts'
import { ask } from './vault-client.ts'

/** Whose key it is; undefined if the vault does not say, since the key works without it. */
async function userIdOf({ url, apiKey }: Profile): Promise<string | undefined> {
  const reply = await ask(url, '/api/v1/auth/me', { headers: { 'x-api-key': apiKey } }).catch(() => undefined)
  const id = reply?.status === 200 ? (reply.body as { user_id?: unknown } | undefined)?.user_id : undefined
  return typeof id === 'string' ? id : undefined
}

/** The profile with the id of its person. For a key that was given or has just been made, the vault is asked. */
export async function withUserId(profile: Profile): Promise<Profile> {
  if (profile.userId) return profile
  const userId = await userIdOf(profile)
  return { ...profile, ...(userId ? { userId } : {}) }
}
