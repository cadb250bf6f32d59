import { hash, verify } from '@node-rs/argon2'
import { z } from 'zod'
import type { PasswordWork, Services } from '../../../core/context.ts'
import { refuseWhileWriting } from '../../../db/db.ts'

export const Password = z.string().min(8).max(200)

/** argon2id with 19 MiB and two passes, as OWASP recommends. */
export const PASSWORD_WORK: PasswordWork = { memoryCost: 19_456, timeCost: 2 }

type Work = Pick<Services, 'passwordWork'>

export async function hashPassword({ passwordWork }: Work, password: string): Promise<string> {
  refuseWhileWriting('Hashing a password')
  return hash(password, passwordWork)
}

const hashesOfNobody = new WeakMap<PasswordWork, Promise<string>>()

function hashOfNobody(work: Work): Promise<string> {
  const known = hashesOfNobody.get(work.passwordWork)
  if (known) return known
  const made = hashPassword(work, 'nobody has this password')
  hashesOfNobody.set(work.passwordWork, made)
  return made
}

/** Does the same work for an account that does not exist, so that the time reveals nothing. */
export async function passwordMatches(
  work: Work,
  storedHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  refuseWhileWriting('Checking a password')
  const matches = await verify(storedHash ?? (await hashOfNobody(work)), password)
  return matches && storedHash != null
}
