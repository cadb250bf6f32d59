import { createHash } from 'node:crypto'
import { savedProfile } from './profile.ts'

/**
 * The owner of what waits on this machine. A profile knows the id of its person; a key from the environment does not, and
 * asking the vault would make every hook slower, so its hash stands for the person. It does not reveal the key.
 */
export const accountOf = ({ apiKey, userId }: { apiKey: string; userId?: string | undefined }): string =>
  userId ?? `key:${createHash('sha256').update(apiKey).digest('hex').slice(0, 32)}`

/**
 * Whether something that waits may be sent by this account. What an earlier version wrote names nobody. It goes only
 * while nobody has signed in since then: after that it could be somebody else's, so it waits until it is too old.
 */
export const mayBeSentBy = (account: string, owner: string | undefined): boolean =>
  owner === undefined ? savedProfile()?.userId === undefined : owner === account
