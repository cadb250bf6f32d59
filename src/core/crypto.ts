import { createCipheriv, createDecipheriv, createHash, hash, randomBytes } from 'node:crypto'

/** Returns 256 random bits as base64url: 43 characters. */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')

/** Hashes a secret of full entropy (key, token): brute force is hopeless, so one fast hash is enough. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')

/** Returns an id of a secret that does not reveal it. */
export const fingerprintOf = (secret: string): string => sha256(`name:${secret}`).slice(0, 16)

/** Keyed by the server, so that nobody else can test addresses or link hashes of different uses. */
export const addressHash = ({ hashKey }: { hashKey: string }, use: 'ban' | 'left', address: string): string =>
  sha256(`${use}\n${hashKey}\n${address}`)

const keyOf = (secret: string) => createHash('sha256').update(`seal:${secret}`).digest()

/** Encrypts a text for the database by AES-256-GCM with a key derived from `secret`. */
export function seal(text: string, secret: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv)
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64',
  )
}

/** Seals a text with another secret; null if `from` does not open it. */
export function reseal(sealed: string, from: string, to: string): string | null {
  const text = unseal(sealed, from)
  return text === null ? null : seal(text, to)
}

/** Returns the sealed text, or null if the secret is wrong. */
export function unseal(sealed: string, secret: string): string | null {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

/** Returns canonical JSON (RFC 8785): the same value gives the same bytes in any language. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(',')}}`
}

export const sha256Hex = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')
