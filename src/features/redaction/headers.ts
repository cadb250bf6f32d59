import { isPlaceholder, isPlainlyRandom, isSampleToken, looksRandom } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

const BEARER = /[ \t]{1,4}([A-Za-z0-9_.~+/=-]{16,4000})/y
const BASIC = /[ \t]{1,4}([A-Za-z0-9+/_-]{12,500}={0,2})(?![A-Za-z0-9])/y

/** Without dots and equals signs at the end. Not by a pattern, which would start again at each of thousands of dots. */
function withoutTail(value: string): string {
  let end = value.length
  while (end > 0 && (value[end - 1] === '.' || value[end - 1] === '=')) end--
  return value.slice(0, end)
}

/** `Bearer …`, `Token …` in a header or in prose: random enough, or it is a word. */
export function bearerToken(text: string, wordEnd: number): Span | undefined {
  BEARER.lastIndex = wordEnd
  const found = BEARER.exec(text)
  const value = found?.[1] && withoutTail(found[1])
  if (!found || !value || isSampleToken(value) || isPlaceholder(value) || !looksRandom(value))
    return undefined
  const start = found.index + found[0].length - (found[1] as string).length
  return { start, end: start + value.length, kind: 'bearer_token', rank: RANK.named }
}

const OTHER_SCHEME =
  /["'\\]{0,3}[ \t]{0,3}[:=,][ \t]{0,3}["'\\]{0,3}(?!BASIC)[A-Za-z][A-Za-z-]{1,24}[ \t]{1,4}([A-Za-z0-9_.~+/=:-]{16,4000})/iy

/** `Authorization: Token …`, whatever the scheme is called. */
export function authorizationValue(text: string, wordEnd: number): Span | undefined {
  OTHER_SCHEME.lastIndex = wordEnd
  const found = OTHER_SCHEME.exec(text)
  const value = found?.[1]
  if (!found || !value || isPlaceholder(value) || !looksRandom(value)) return undefined
  const end = found.index + found[0].length
  return { start: end - value.length, end, kind: 'authorization', rank: RANK.assigned }
}

/** Without Buffer, because the web app uses the same rules in the browser. As UTF-8, or else byte by byte. */
function decodedBase64(value: string): string {
  try {
    const bytes = atob(value.replaceAll('-', '+').replaceAll('_', '/'))
    return asUtf8(bytes) ?? bytes
  } catch {
    return ''
  }
}

function asUtf8(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}

/** Neither part has a control character. Services that know keys alone take the key as the user. */
const USER_AND_PASSWORD = /^([^\p{Cc}:]+):([^\p{Cc}]*)$/u

function isCredentials(decoded: string): boolean {
  const [, user = '', password = ''] = USER_AND_PASSWORD.exec(decoded) ?? []
  return password === '' ? isPlainlyRandom(user) && !isPlaceholder(user) : !isPlaceholder(password)
}

/** `Basic dXNlcjpwYXNz`: base64 of `user:password`. */
export function basicCredentials(text: string, wordEnd: number): Span | undefined {
  BASIC.lastIndex = wordEnd
  const found = BASIC.exec(text)
  const value = found?.[1]
  if (!found || !value) return undefined
  if (!isCredentials(decodedBase64(value))) return undefined
  const end = found.index + found[0].length
  return { start: end - value.length, end, kind: 'basic_credentials', rank: RANK.named }
}

/** `Cookie: `, `"Cookie": "`, `cookies={"`, `--cookie "`, also with escaped quotes. */
const COOKIE_LINK = /s?["'\\\]]{0,3}(?:[ \t]{0,2}[:=,(]|(?=[ \t]["']))[ \t]{0,2}[[{("'\\]{0,4}/y
const COOKIE_PAIR =
  /[ \t]{0,4}([A-Za-z0-9_.$-]{1,80})(?:=|["']:[ \t]{0,2}['"])("?)([A-Za-z0-9%+/_.|~!*-]{0,4000}={0,2})\2/y

/** Values of the cookies that carry a session, in a `Cookie` or `Set-Cookie` header, from the end of that word. */
export function sessionCookies(text: string, wordEnd: number): Span[] {
  COOKIE_LINK.lastIndex = wordEnd
  if (!COOKIE_LINK.test(text)) return []
  const spans: Span[] = []
  let at = COOKIE_LINK.lastIndex
  for (let pair = 0; pair < 40; pair += 1) {
    COOKIE_PAIR.lastIndex = at
    const found = COOKIE_PAIR.exec(text)
    if (!found) break
    at = COOKIE_PAIR.lastIndex
    const [, name = '', quote = '', value = ''] = found
    const end = at - quote.length
    if (
      /sess|sid|auth|token|jwt|login|remember|csrf|xsrf|secret|key/i.test(name) &&
      value.length >= 8 &&
      !isPlaceholder(value)
    ) {
      spans.push({ start: end - value.length, end, kind: 'session_cookie', rank: RANK.named })
    }
    if (text[at] !== ';') break
    at += 1
  }
  return spans
}
