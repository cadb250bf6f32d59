import { hash, verify } from '@node-rs/argon2'
import { z } from 'zod'
import { refuseWhileWriting } from '../../../db/db.ts'

export const Password = z.string().min(8).max(200)

/** argon2id with the library's defaults (19 MiB, two passes), as OWASP recommends. */
export async function hashPassword(password: string): Promise<string> {
  refuseWhileWriting('Hashing a password')
  return hash(password)
}

let nobodysHash: Promise<string> | undefined

/** Does the same work for an account that does not exist, so that the time tells nothing. */
export async function passwordMatches(
  storedHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  refuseWhileWriting('Checking a password')
  nobodysHash ??= hashPassword('nobody has this password')
  const matches = await verify(storedHash ?? (await nobodysHash), password)
  return matches && storedHash != null
}
