/** Letter pairs in words: -log2 of the share, minus one, as a digit. */
const FOLLOWED_BY = [
  '84346648496242849231557657',
  '25552677267156259335378859',
  '27472782394377179342489949',
  '36651656167566369336367759',
  '46325557688342646223656469',
  '26662378198366269354388849',
  '27661543298353369245388958',
  '16661788298556279353587939',
  '45244449897341248433749795',
  '28561786487766257715263878',
  '35541666186464458525575858',
  '27651678297267269744468939',
  '14661878287547229746379959',
  '37332527375665369622558968',
  '55446647586331539233345578',
  '27662773397367249243488859',
  '56768776588366568544087877',
  '26441657295645259433557949',
  '47362684296556337631366859',
  '27571783198567369234497948',
  '43353559497232639222879788',
  '17750778198757379777789989',
  '16652863296473379335776768',
  '37372695278556327552588538',
  '45343658487233329422686776',
  '17750686287556379856496844',
].join('')
/** Reads a digit, and adds the one. */
const ZERO = '0'.charCodeAt(0) - 1

const BITS_OF_LETTER = Math.log2(26)
const NEW_WORD = 3.5
const SAME_WORD = -0.9
const LETTER_THEN_DIGIT = 2.5
const DIGIT_THEN_LETTER = 3.5
const LONGER_NUMBER = -1.5

function randomBits(value: string): number {
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value)
  let bits = 0
  let before = 0
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    bits += pairBits(before, code, isMixed)
    before = code
  }
  return bits
}

/** Returns the bits of the most random part of a text. */
export function mostRandomBits(text: string, start: number, end: number): number {
  let bits = 0
  let most = 0
  let before = 0
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    bits = Math.max(0, bits + pairBits(before, code, false))
    if (bits > most) most = bits
    before = code
  }
  return most
}

function pairBits(before: number, code: number, isMixed: boolean): number {
  if (isDigit(code)) return isLetter(before) ? LETTER_THEN_DIGIT : isDigit(before) ? LONGER_NUMBER : 0
  if (!isLetter(code)) return 0
  if (isDigit(before)) return DIGIT_THEN_LETTER
  if (!isLetter(before)) return 0
  if (before >= 97 && code < 97) return NEW_WORD
  const pair = FOLLOWED_BY.charCodeAt(((before | 32) - 97) * 26 + (code | 32) - 97) - ZERO - BITS_OF_LETTER
  return isMixed && code >= 97 && before >= 97 ? pair + SAME_WORD : pair
}

export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
export const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** The two in base64 are the prompts of a mail server. A long random value contains short words by chance, so inside a value only long words match. */
const DOCUMENTATION_WORDS =
  /UGFzc3dvcmQ6|VXNlcm5hbWU6|example|placeholder|changeme|change[-_]me|redacted|insert[-_]|replace[-_]|x{5,}|123456789|abcdefgh|deadbeef|0{8,}/i
const OWN_WORD = /(?<![a-z0-9])(?:your[-_ ]|dummy|foobar)|(?:[-_ ]here|dummy|foobar)(?![a-z0-9])/i
const WORD_IN_CAMEL_CASE = /[a-z](?:Dummy|Foobar|FooBar)(?![a-z])/

function holdsDocumentationWord(value: string): boolean {
  return (
    DOCUMENTATION_WORDS.test(value) ||
    OWN_WORD.test(value) ||
    WORD_IN_CAMEL_CASE.test(value) ||
    isElided(value)
  )
}

function isElided(value: string): boolean {
  if (!/\.{3}|\*{3}/.test(value)) return false
  return /^(?:\.{3}|\*{3})|(?:\.{3}|\*{3})$/.test(value) || value.replace(/[^A-Za-z0-9]/g, '').length < 20
}

/** References to a secret by name: `${X}`, `$X`, `$env:X`, `{{x}}`, `%X%`, `<x>`, `[x]`, `process.env.X`. */
const REFERENCE =
  /^(?:\$[{(]|\$(?:env:)?[A-Za-z_]\w*$|%\w+%$|[<[{(]|process\.env|import\.meta|os\.environ|env\.|vars?\.|secrets\.|config\.|settings\.)|[{}<>]|^__\w+__$/i

/** Words in sample passwords of tests and tutorials: `my-secret-1`, `Password123`, `testToken_2`. */
const TUTORIAL_WORDS =
  /my|your|the|some|test|super|new|old|user|admin|root|secret|password|passwd|pass|word|pwd|token|key|api|value|string|foo|bar|baz|custom|default|local|dev|prod|sample|fake|mock|valid|invalid|wrong|correct|auth|access|refresh|client|name|session|public|private|data|app|id/gi

/** Returns true for a sample of a known form, or a word that happens to have the form. */
export function isSampleValue(whole: string): boolean {
  const value = beginningOf(whole)
  if (holdsDocumentationWord(value) || isMonotonous(value)) return true
  return !/\d/.test(value) && !isUnpronounceable(value)
}

/** Several rules judge the same value one after another, so the last answer is kept. */
function judgedOnce<T>(judge: (value: string) => T): (value: string) => T {
  let last: { value: string; answer: T } | undefined
  return (value) => {
    if (last?.value !== value) last = { value, answer: judge(value) }
    return last.answer
  }
}

const MAC_ADDRESS = /^(?:[0-9a-f]{2}[:-]){4}[0-9a-f]{2}/i

export const isPlaceholder = judgedOnce((whole: string): boolean => {
  const value = beginningOf(whole)
  if (
    REFERENCE.test(value) ||
    MAC_ADDRESS.test(value) ||
    holdsDocumentationWord(value) ||
    isMonotonous(value)
  )
    return true
  return value.length <= 40 && /^[\d\W_]{0,4}$/.test(value.replace(TUTORIAL_WORDS, ''))
})

/** Returns true for an obvious sample of a known form only. */
export function isSampleToken(whole: string): boolean {
  const tail = beginningOf(whole)
  return /example|x{6,}|placeholder|(?<![a-z0-9])your[-_]/i.test(tail) || isElided(tail) || isMonotonous(tail)
}

/** Returns true if the same few characters repeat. A short number may well repeat its digits. */
function isMonotonous(value: string): boolean {
  const enough = value.length <= 12 ? 3 : 4
  const seen = new Set<string>()
  for (const character of value) if (seen.add(character).size === enough) return false
  return true
}

/** How often each code occurs in the value at hand; all zero between two calls. */
const counts = new Uint16Array(256)

function entropy(value: string): number {
  const { length } = value
  for (let at = 0; at < length; at += 1) {
    const code = value.charCodeAt(at) & 255
    counts[code] = (counts[code] as number) + 1
  }
  let bits = 0
  for (let at = 0; at < length; at += 1) {
    const code = value.charCodeAt(at) & 255
    const share = (counts[code] as number) / length
    if (share > 0) bits -= share * Math.log2(share)
    counts[code] = 0
  }
  return bits
}

const CODE_LIKE = /^[./~]|:\/\/|\(|^[a-z]+(?:[-_.][a-z]+)+\d?$|^[A-Z]+(?:_[A-Z]+)+\d?$/
const FILE_TYPE = /\.[a-z]{2,5}$/

/** Returns true for code that only mentions a secret: a path, a URL, a call, a word list. */
function isCodeLike(value: string): boolean {
  const slash = value.lastIndexOf('/')
  return CODE_LIKE.test(value) || (slash !== -1 && FILE_TYPE.test(value.slice(slash)))
}

/** Only this many characters are read to judge randomness. */
const MAX_READ_LENGTH = 400
const beginningOf = (value: string): string =>
  value.length > MAX_READ_LENGTH ? value.slice(0, MAX_READ_LENGTH) : value

/** Returns true for names joined by dots such as `config.auth.token2`, with hardly a digit. */
function isMemberAccess(value: string): boolean {
  if (!/^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value)) return false
  return value.replace(/\D/g, '').length / value.length < 0.1
}

export const looksRandom = judgedOnce((whole: string): boolean => {
  const value = beginningOf(whole)
  if (value.length < 10 || isCodeLike(value) || isMemberAccess(value)) return false
  if (!/\d/.test(value)) return value.length >= 20 && isUnpronounceable(value)
  return entropy(value) >= Math.min(3.2, Math.log2(value.length) - 0.5)
})

export const changesIn = (value: string): number =>
  beginningOf(value).match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0

/** Returns true if letters and digits alternate more often than in any word or version. */
export function isPlainlyRandom(whole: string): boolean {
  const value = beginningOf(whole)
  if (value.length < 10 || !looksRandom(value)) return false
  return changesIn(value) >= (value.length >= 16 ? 4 : 3)
}

/** Returns true for letters with digits or signs: people choose passwords, so randomness is not required. */
export function looksLikePassword(whole: string): boolean {
  const value = beginningOf(whole)
  if (value.length < 6 || isCodeLike(value) || isMemberAccess(value) || !/[A-Za-z]/.test(value)) return false
  const mixed = /\d/.test(value) || (value.length >= 8 && /[!@#$%^&*?+~]/.test(value))
  if (!mixed) return value.length >= 14 && isUnpronounceable(value)
  return entropy(value) >= 2.2
}

const VOWELS = new Set(Array.from('aeiou', (vowel) => vowel.charCodeAt(0)))
const LETTER_Y = 'y'.charCodeAt(0)
const MANY_CONSONANTS = 5

export function isUnpronounceable(value: string): boolean {
  let [letters, capitals, vowels, consonants, mostConsonants] = [0, 0, 0, 0, 0]
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    const isCapital = code >= 65 && code <= 90
    if (!isCapital && (code < 97 || code > 122)) continue
    const lower = isCapital ? code + 32 : code
    const isVowel = VOWELS.has(lower)
    letters += 1
    if (isCapital) capitals += 1
    if (isVowel) vowels += 1
    consonants = isVowel || lower === LETTER_Y ? 0 : consonants + 1
    if (consonants > mostConsonants) mostConsonants = consonants
  }
  const share = capitals / letters
  if (share > 0.35 && share < 0.75) return true
  return vowels / letters < 0.27 && mostConsonants >= MANY_CONSONANTS
}

export const UNSURE = 1
export const SURE = 2
export const VERY_SURE = 3

const HEX =
  /^(?=[0-9a-f]*[a-f])(?=[a-f]*\d)(?:[0-9a-f]{16,128})$|^(?=[0-9A-F]*[A-F])(?=[A-F]*\d)[0-9A-F]{16,128}$/
const SHORT_HASH = /^[0-9a-f]{8,15}$/
/** Matches SSH public keys, and the first line of a public key or certificate in a URL. */
const PUBLIC_KEY = /^AAAA[A-Z][23]|^-{4,5}BEGIN/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const SIGN_OF_PASSWORD = /[!@#$%^&*?~+]/
const OTHER_FORM = new RegExp(
  [
    String.raw`^[./~@-]|:\/\/|^\$[\w{(]|^%\w+%$|^[a-z_][A-Za-z_]*(?:\$\d)+(?!\w)|\$\{`,
    String.raw`=>|->|::|&&|\|\||[!=]==?|\+\+|[{}]|\*\/|\]\[|\[\^|=#[0-9a-f]{6}$|[\w)]\(|\)\.|\(\)|\[\w*\]|^!*\(`,
    String.raw`^[^@]+@[^@]*\.[a-z]{2,}|@v?\d+\.|^\d{4}-\d\d|^[~^]?v?\d+\.\d+|^#[\w-]*[a-z][\w-]*$|^[\w.-]{1,40}=$|[-_]$|^[A-Za-z]+[?!]+$|\.[a-z]{1,20}[?!]{1,2}$|^[a-z]\w*(?:\$[a-z]\w*)*\$\d+$|^[A-Z_]+\$\d$`,
    String.raw`[?&][\w-]+=|%[0-9A-F]{2}(?:[A-Za-z/]|%)|[,;\s\\]|^\]|A-Za|a-z0|[0A]-[9Z]|@[\^~]|\?\w+:|^0x[0-9A-Fa-f]{1,31}$`,
  ].join('|'),
)
const SLASHED = /[A-Za-z]\/[A-Za-z]/
const DOTTED = /[A-Za-z_]\.[A-Za-z_]/
const LETTERS = /^[A-Za-z]+$/

/** Lower case, upper case, digits and a sign that names have too. */
const isOfAllKinds = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /[-_.=:]/.test(value)

export const certaintyOf = judgedOnce((value: string): number => {
  if (value.length < 8 || value.length > 400) return 0
  const hasDigit = /\d/.test(value)
  const isHex = hasDigit && HEX.test(value)
  const bits = isHex ? value.length : randomBits(value)
  const isPassword =
    hasDigit &&
    /[A-Za-z]{2}/.test(value) &&
    (SIGN_OF_PASSWORD.test(value) || (bits > (value.length >= 12 ? 0 : 4) && isOfAllKinds(value)))
  if (!isPassword && bits < 3) return 0
  if (isPlaceholder(value) || PUBLIC_KEY.test(value)) return 0
  if (isHex) return value.length >= 24 ? VERY_SURE : SURE
  if (UUID.test(value) || SHORT_HASH.test(value)) return UNSURE
  const share = bits / value.length
  if (OTHER_FORM.test(value) && !(bits > 30 && share > 0.8)) return 0
  if (SLASHED.test(value) && !(bits > 20 && share > 0.6)) return 0
  if (DOTTED.test(value) && share < 0.7) return 0
  if (hasDigit || LETTERS.test(value)) {
    if (bits >= 14 && share >= 0.6 && value.length >= (hasDigit ? 10 : 14)) return VERY_SURE
    if (isPassword) return bits >= 4 ? VERY_SURE : SURE
    if (bits >= (hasDigit ? 6 : 8) && share >= 0.4 && value.length >= (hasDigit ? 8 : 12)) return SURE
  }
  if (isPassword) return SURE
  return LETTERS.test(value) && share >= 0.2 && value.length >= 12 ? UNSURE : 0
})
