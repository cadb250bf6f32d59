import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { canonicalJson, sha256Hex } from '../core/crypto.ts'
import { HASHED_FIELDS } from './card-fields.ts'
import type { Licence } from './licences.ts'

/**
 * Each line has the SHA-256 of the line before it (`prev`), and the last line signs the chain.
 * docs/guide/sharing-between-servers.md describes every byte.
 */

export const SNAPSHOT_FORMAT = 'knowledge-vault-library/1'
export const SERVER_FORMAT = 'knowledge-vault-server/1'
export const WELL_KNOWN = '/.well-known/knowledge-vault.json'
export const SNAPSHOT_PATH = '/library/snapshot.jsonl'

/** The value of `prev` in the first line. */
export const NO_LINE = '0'.repeat(64)

/** Longer cards are left out of a snapshot. A snapshot with a longer line is refused. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024

export type FirstLine = { format: string; key_id: string; made_at: string; prev: string; server: string }

export type LineOrigin = { card_id: string; content_hash: string; server: string; version: number }

export type CardLine = {
  author: string
  card: HashedContent
  card_id: string
  content_hash: string
  licence: Licence
  origin?: LineOrigin
  prev: string
  published_at: string
  version: number
}

type Ending = {
  cards: number
  format: string
  head: string
  key_id: string
  made_at: string
  server: string
}
export type LastLine = Ending & { signature: string }

/** The content of a published version. docs/guide/sharing-between-servers.md tells how it is hashed. */
type HashedContent = Record<(typeof HASHED_FIELDS)[number], unknown>

/** Returns the SHA-256 of the canonical JSON of the hashed fields, in lower-case hexadecimal. */
export const contentHash = (content: HashedContent): string =>
  sha256Hex(canonicalJson(Object.fromEntries(HASHED_FIELDS.map((field) => [field, content[field] ?? null]))))

export const writeLine = (line: FirstLine | CardLine | LastLine): string => canonicalJson(line)

export const lineHash = (line: string | Uint8Array): string => sha256Hex(line)

const signedBytes = ({ cards, format, head, key_id, made_at, server }: Ending): Buffer =>
  Buffer.from(canonicalJson({ cards, format, head, key_id, made_at, server }), 'utf8')

export const signEnding = (ending: Ending, key: KeyObject): LastLine => ({
  ...ending,
  signature: sign(null, signedBytes(ending), key).toString('base64'),
})

export const isSigned = (line: LastLine, key: KeyObject): boolean =>
  verify(null, signedBytes(line), key, Buffer.from(line.signature, 'base64'))

const rawKey = (publicKey: string): Buffer => Buffer.from(publicKey, 'base64url')

/** Returns the id of a key: the SHA-256 of its 32 bytes. */
export const keyIdOf = (publicKey: string): string => sha256Hex(rawKey(publicKey))

export const publicKeyOf = (publicKey: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })

export type ListedKey = {
  key_id: string
  algorithm: 'Ed25519'
  public_key: string
  created_at: string
  retired_at: string | null
}
