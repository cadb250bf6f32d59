import { createHash } from 'node:crypto'
import { savedProfile } from './profile.ts'

/** Returns the user id of the profile or a hash of the key; asking the vault would slow every hook. */
export const accountOf = ({ apiKey, userId }: { apiKey: string; userId?: string | undefined }): string =>
  userId ?? `key:${createHash('sha256').update(apiKey).digest('hex').slice(0, 32)}`

/** An entry without an owner is sent only while nobody has signed in since. */
export const mayBeSentBy = (account: string, owner: string | undefined): boolean =>
  owner === undefined ? savedProfile()?.userId === undefined : owner === account
