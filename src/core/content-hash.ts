import { createHash } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** Exactly what a published version says. docs/guide/sharing-between-servers.md tells others how to hash it. */
const HASHED_FIELDS = [
  'body',
  'card_payload',
  'card_type',
  'environment',
  'fix_summary',
  'root_cause',
  'scope_notes',
  'steps',
  'symptom',
  'tags',
  'title',
] as const

export type HashedContent = Record<(typeof HASHED_FIELDS)[number], unknown>

export const sha256Hex = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** SHA-256 of the canonical JSON of the eleven fields, in lower-case hexadecimal. */
export const contentHash = (content: HashedContent): string =>
  sha256Hex(canonicalJson(Object.fromEntries(HASHED_FIELDS.map((field) => [field, content[field] ?? null]))))
