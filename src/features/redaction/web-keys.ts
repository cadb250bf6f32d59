import { isPlaceholder } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** JSON Web Keys: `kty` is in each, and only a private or a shared key has one of the secret parts. */
export const KEY_TYPES = ['"kty"', '\\"kty\\"', "'kty'"]

/** A key of 4096 bits with all its parts has about 3200 characters. */
const WINDOW = 5000
const SECRET_PART = /(\\?["'])(?:d|p|q|dp|dq|qi|k)\1\s{0,8}:\s{0,8}\1([A-Za-z0-9_-]{20,1400}={0,2})\1/g

/** The secret parts of the key around a place. Nothing before `notBefore` is read again. */
export function secretsInWebKey(
  text: string,
  typeEnd: number,
  notBefore: number,
): { spans: Span[]; readUntil: number } {
  const from = Math.max(notBefore, typeEnd - WINDOW)
  const opened = text.slice(from, typeEnd).lastIndexOf('{')
  const after = text.slice(typeEnd, typeEnd + WINDOW)
  const closed = after.indexOf('}')
  const readUntil = typeEnd + (closed === -1 ? after.length : closed)
  if (opened === -1) return { spans: [], readUntil }
  const spans: Span[] = []
  for (const found of text.slice(from + opened, readUntil).matchAll(SECRET_PART)) {
    const [whole, quote = '', value = ''] = found
    const end = from + opened + found.index + whole.length - quote.length
    if (!isPlaceholder(value))
      spans.push({ start: end - value.length, end, kind: 'private_key', rank: RANK.named })
  }
  return { spans, readUntil }
}
