import type { Name } from './distant-values.ts'
import { isUnpronounceable } from './placeholders.ts'

/** Values beside a name such as `key` or `secret` that are no secrets: the whole name or the form of the value says so. */
const REST_OF_NAME = /[\w-]{0,40}/y
/** `secretName`, `AUTH0_DOMAIN`, `token-type`: what is known about a secret, not the secret. */
const ABOUT =
  'names?|refs?|domain|host|hostname|arn|type|version|alg|algorithm|length|count|rate|ratio|through|ttl|expiry'
const ABOUT_IT = new RegExp(`(?:^|[_-])(?:${ABOUT})$`, 'i')
const ABOUT_IT_IN_CAMEL_CASE = new RegExp(
  `(?:${ABOUT.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())})$`,
)
/** GnuPG receives keys by their fingerprints: `--recv-keys`. */
const PUBLIC = /(?:public[_ -]?|recv-)$/i
/** `bypass`, `compass`, `second pass`: other words, and passes over something. Any other letters may name a service. */
const NO_PASSWORD =
  /(?<![a-z])(?:by|com|encom|sur|tres|over|under|(?:first|second|third|render|shader|shadow|depth|low|high|band)[_ -]?)$/i
const PUBLIC_KEY = /public[_ -]?key[_ -]?$/i
const OF_ACCESS = /access[_ -]?$/i

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** `next-auth@5.0.0`, `arn:aws:kms:…`, the anchor `#in-a-page` of a link. */
const PACKAGE =
  /^@?[A-Za-z][\w./-]{0,100}@[~^]?v?\d{1,5}\.\d{1,5}(?:\.\d{1,5})?(?:-[a-z]{1,10}(?:\.\d{1,5}){0,2})?$/
const RESOURCE_OR_ANCHOR = /^(?:arn:aws|#[a-z][a-z-]{0,100}$)/

/** `ECC_NIST_P256`: the name of a constant, mostly letters. */
function isConstant(value: string): boolean {
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return false
  const words = value.split('_').filter((part) => /^[A-Z]{2,20}$/.test(part))
  return words.length >= 2 && words.join('').length > value.length / 2
}

/** Capitals throughout are those of a licence key. */
const WORD = /^[A-Z]?[a-z]{1,19}$/
const NUMBER = /^(?:v?\d{1,8}|[a-z]{1,12}\d{1,3})$/
const HASH = /^(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}$/

/** `build-2024-05-01`, `node-modules-linux-<hash>`: words and numbers, and perhaps a hash behind two words. */
function isCacheKey(value: string): boolean {
  const parts = value.split(/[-_./:]/)
  const hasHash = HASH.test(parts.at(-1) ?? '')
  const known = hasHash ? parts.slice(0, -1) : parts
  const words = known.filter((part) => WORD.test(part) && !isUnpronounceable(part))
  return words.length >= (hasHash ? 2 : 1) && known.every((part) => words.includes(part) || NUMBER.test(part))
}

/** The key of a cache, a map or a table: `key`, `restore-keys` and `sort_key`, not `api_key`. */
const PLAIN_KEY =
  /(?:^|[^\w-]|(?:cache|restore|primary|foreign|partition|sort|group|row|object|routing)[_-]?)$/i

const FOREIGN_KEY = /^(?:ключ|schlüssel|clé|キー|키)/

/** The value beside this name is certainly no secret. */
export function isHarmless(text: string, { start, end }: Name, kind: string, value: string): boolean {
  REST_OF_NAME.lastIndex = end
  const rest = REST_OF_NAME.exec(text)?.[0] ?? ''
  if (ABOUT_IT.test(rest) || ABOUT_IT_IN_CAMEL_CASE.test(rest)) return true
  const name = text.slice(start, end).toLowerCase()
  const before = text.slice(Math.max(0, start - 12), start)
  if (kind === 'password') return name === 'pass' && NO_PASSWORD.test(before) && !isUnpronounceable(value)
  if (PUBLIC_KEY.test(before) || (name === 'key' && PUBLIC.test(before))) return true
  if (PACKAGE.test(value) || RESOURCE_OR_ANCHOR.test(value) || isConstant(value)) return true
  if (kind !== 'api_key') return false
  // Services give the id of an access key together with the key.
  if (/^(?:key|api)$/.test(name) && /^[_-]?ids?$/i.test(rest)) return !OF_ACCESS.test(before)
  if (UUID.test(value)) return /id$/i.test(name + rest)
  return (
    (name === 'key' || FOREIGN_KEY.test(name)) &&
    /^s?$/i.test(rest) &&
    PLAIN_KEY.test(before) &&
    isCacheKey(value)
  )
}
