import { hash, verify } from '@node-rs/argon2'
import { z } from 'zod'
import type { PasswordHashing, Services } from '../../../core/context.ts'
import { refuseWhileWriting } from '../../../db/db.ts'

export const Password = z.string().min(8).max(200)

/** By argon2id: how much memory in KiB, and how many passes over it. */
export const argon2id = (work: { memoryCost: number; timeCost: number }): PasswordHashing => ({
  hash: (password) => hash(password, work),
  verify: (hashed, password) => verify(hashed, password),
})

/** 19 MiB and two passes, as OWASP recommends. */
export const HASHING = argon2id({ memoryCost: 19_456, timeCost: 2 })

type Hashing = Pick<Services, 'passwordHashing'>

export async function hashPassword({ passwordHashing }: Hashing, password: string): Promise<string> {
  refuseWhileWriting('Hashing a password')
  return passwordHashing.hash(password)
}

const hashesOfNobody = new WeakMap<PasswordHashing, Promise<string>>()

function hashOfNobody(hashing: Hashing): Promise<string> {
  const known = hashesOfNobody.get(hashing.passwordHashing)
  if (known) return known
  const made = hashPassword(hashing, 'nobody has this password')
  hashesOfNobody.set(hashing.passwordHashing, made)
  return made
}

/** Does the same work for an account that does not exist, so that the time reveals nothing. */
export async function passwordMatches(
  hashing: Hashing,
  storedHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  refuseWhileWriting('Checking a password')
  const hash = storedHash ?? (await hashOfNobody(hashing))
  const matches = await hashing.passwordHashing.verify(hash, password)
  return matches && storedHash != null
}
