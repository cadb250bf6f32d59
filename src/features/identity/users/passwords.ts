import { hash, verify } from '@node-rs/argon2'
import { z } from 'zod'

export const Password = z.string().min(8).max(200)

/** argon2id with the library's defaults (19 MiB, two passes), as OWASP recommends. */
export const hashPassword = (password: string): Promise<string> => hash(password)

let nobodysHash: Promise<string> | undefined

/** Does the same work for an account that does not exist, so that the time tells nothing. */
export async function passwordMatches(
  storedHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const matches = await verify(storedHash ?? (await nobodysHash), password)
  return matches && storedHash != null
}
