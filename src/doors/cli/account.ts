import { createHash } from 'node:crypto'
import { savedProfile } from './profile.ts'

/**
 * Returns the owner of entries that wait on this machine: the user id of the profile, or a hash of the key.
 * Asking the vault for the user id would slow down every hook.
 */
export const accountOf = ({ apiKey, userId }: { apiKey: string; userId?: string | undefined }): string =>
  userId ?? `key:${createHash('sha256').update(apiKey).digest('hex').slice(0, 32)}`

/**
 * Whether this account may send a waiting entry. An entry of an earlier version names no owner, so it is sent
 * only while nobody has signed in since then.
 */
export const mayBeSentBy = (account: string, owner: string | undefined): boolean =>
  owner === undefined ? savedProfile()?.userId === undefined : owner === account
