import { KNOWN_FORM, type Name } from './assignments.ts'
import { certaintyOf, isDigit, isLetter, mostRandomBits, SURE, UNSURE, VERY_SURE } from './placeholders.ts'
import { lazily, RANK, type Span } from './rule.ts'

/** The weaker the link between name and value, the surer the value must be. */
const MAX_WINDOW_LENGTH = 220
/** Only the first of many adjacent names are tried. */
const WINDOW_OF_TRIES = 400
const MAX_TRIES = 12
const MAX_CANDIDATES = 3
const MIN_VALUE = 8
const MAX_VALUE_LENGTH = 400

export class Neighbours {
  readonly #text: string
  readonly #candidates: Candidates
  #from = -WINDOW_OF_TRIES
  #tries = 0

  constructor(text: string, candidates: Candidates) {
    this.#text = text
    this.#candidates = candidates
  }

  secretOf(name: Name, kind: string): Span | undefined {
    const text = this.#text
    if (text[name.end] === '/') return undefined
    const before = speaksBack(name, kind)
      ? this.#candidates.within(name.start - MAX_LENGTH_BEFORE, name.start)
      : NONE
    const isKeyed = isKeyOfPair(text, name)
    const behind = this.#candidates.within(name.end, name.end + MAX_WINDOW_LENGTH)
    const hasOwn = mayHoldValue(text.charCodeAt(name.end))
    if ((behind.length === 0 && before.length === 0 && !isKeyed && !hasOwn) || !this.#isTried(name))
      return undefined
    return (
      valueBehind(text, name, kind, behind) ??
      (isKeyed ? valueOfPair(text, name, kind) : undefined) ??
      (before.length > 0 ? valueInSentence(text, name, kind) : undefined)
    )
  }

  /** Returns the value before a name that is marked only by the words before it: `… to log in`. */
  secretBefore(name: Name): Span | undefined {
    const before = this.#candidates.within(name.start - MAX_LENGTH_BEFORE, name.start)
    return before.length > 0 && this.#isTried(name)
      ? valueInSentence(this.#text, name, 'password')
      : undefined
  }

  #isTried(name: Name): boolean {
    if (!isWord(this.#text, name)) return false
    OTHER_WORD.lastIndex = name.start
    if (OTHER_WORD.test(this.#text)) return false
    if (Math.abs(name.start - this.#from) >= WINDOW_OF_TRIES) {
      this.#from = name.start
      this.#tries = 0
    }
    this.#tries += 1
    return this.#tries <= MAX_TRIES
  }
}

/** A value before a short name such as `key` hardly ever belongs to it. */
const speaksBack = ({ start, end }: Name, kind: string): boolean => kind === 'password' || end - start > 4

const mayHoldValue = (code: number): boolean =>
  !isHard(code) && code !== 47 && code !== 40 && code !== 44 && code !== 41

/** Returns true if a colon or an equals sign stands before the name: `name: DB_PASSWORD`. */
function isKeyOfPair(text: string, { start }: Name): boolean {
  let at = start - 1
  const least = start - 40
  while (at > least && isInName(text.charCodeAt(at))) at -= 1
  while (at > least && (text[at] === ' ' || text[at] === '"' || text[at] === "'")) at -= 1
  const sign = text[at]
  return sign === ':' || sign === '=' || sign === '>'
}

const isInName = (code: number): boolean =>
  isLetter(code) || isDigit(code) || code === 95 || code === 45 || code === 46

const NONE: readonly Candidate[] = []
const MAX_RUN_LENGTH = MAX_VALUE_LENGTH + 100
/** This many letters in a row may be a secret without a digit. */
const MIN_LETTERS = 12
/** The minimum that `certaintyOf` requires of a value without password signs. */
const MIN_BITS = 3

const SIGNS_OF_PASSWORD = new Set(Array.from('!@#$%^&*?~+', (sign) => sign.charCodeAt(0)))
const isSignOfPassword = (code: number): boolean => SIGNS_OF_PASSWORD.has(code)

export class Candidates {
  readonly #text: string
  readonly #found: Candidate[] = []
  #readTo = 0
  #last = 0

  constructor(text: string) {
    this.#text = text
  }

  within(from: number, to: number): readonly Candidate[] {
    this.#read(Math.max(0, from), to)
    const found = this.#found
    if (found.length === 0) return NONE
    let at = Math.min(this.#last, found.length - 1)
    while (at > 0 && (found[at] as Candidate).start >= from) at -= 1
    while (at < found.length && (found[at] as Candidate).start < from) at += 1
    this.#last = at
    let end = at
    while (end < found.length && (found[end] as Candidate).start < to) end += 1
    return end === at ? NONE : found.slice(at, end)
  }

  #read(from: number, to: number): void {
    const text = this.#text
    const limit = Math.min(text.length, to)
    if (limit <= this.#readTo) return
    let at = Math.max(this.#readTo, from - MAX_LENGTH_BEFORE)
    const least = Math.max(this.#readTo, from - MAX_RUN_LENGTH)
    while (at > least && !isHard(text.charCodeAt(at - 1))) at -= 1
    while (at < limit) {
      while (at < limit && isHard(text.charCodeAt(at))) at += 1
      at = this.#readRun(at)
    }
    this.#readTo = at
  }

  #readRun(start: number): number {
    const text = this.#text
    let at = start
    let digits = 0
    let letters = 0
    let most = 0
    let all = 0
    let hasSign = false
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (isHard(code)) break
      if (isLetter(code)) {
        letters += 1
        all += 1
        if (letters > most) most = letters
      } else {
        letters = 0
        if (isDigit(code)) digits += 1
        else if (isSignOfPassword(code)) hasSign = true
      }
    }
    const length = at - start
    const isLikely = length >= MIN_VALUE && length <= MAX_RUN_LENGTH
    const isMixed = digits > 0 ? all > 2 : most >= MIN_LETTERS
    if (isLikely && isMixed && ((digits > 0 && hasSign) || mostRandomBits(text, start, at) >= MIN_BITS))
      for (const candidate of candidatesOf(text, { start, end: at })) this.#found.push(candidate)
    return at
  }
}

/** Short names inside a longer word match by chance. */
const MIN_INNER_NAME = 5
const OTHER_WORD = /secret(?:e[ds]?\b|ing|ion|ary|ari|ory|agog|ly)/iy
const INNER_NAME = /^(?:pass|pwd|pw)$/i

function isWord(text: string, { start, end }: Name): boolean {
  const [before, first] = [text.charCodeAt(start - 1), text.charCodeAt(start)]
  if (end - start >= MIN_INNER_NAME || !(isLetter(before) || isDigit(before))) return true
  const after = text.charCodeAt(end)
  if (first < 97 && before >= 97) return !(isLetter(after) || isDigit(after))
  return INNER_NAME.test(text.slice(start, end)) && !isDigit(before)
}

const spanOf = ({ start, end }: Candidate, kind: string): Span => ({ start, end, kind, rank: RANK.assigned })

type Candidate = { start: number; end: number; certainty: number; isPaired?: boolean }

const HARD = new Uint8Array(128)
for (let code = 0; code <= 32; code += 1) HARD[code] = 1
for (const sign of '"\'`<>\\|\u007f') HARD[sign.charCodeAt(0)] = 1
const isHard = (code: number) => code > 126 || HARD[code] === 1

/** Matches a line end or a quote as written in a string literal. */
const ESCAPE = /u00[0-9a-fA-F]{2}|[nrt](?![a-z])/y
function afterEscape(text: string, at: number): number {
  ESCAPE.lastIndex = at
  return ESCAPE.test(text) ? ESCAPE.lastIndex : at
}

const OPENERS = '([{,;:=>~*'
const CLOSERS = ')]},;:.*'
const OPENED_BY: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  let [from, to] = [start, end]
  while (from + 2 < to && (text.startsWith('...', from) || (from > start && text[from] === '.'))) from += 1
  while (from < to && OPENERS.includes(text[from] as string)) from += 1
  while (to > from && CLOSERS.includes(text[to - 1] as string)) {
    const sign = text[to - 1] as string
    if (sign === '*' && text[to - 2] !== '*' && text[start] !== '*') break
    const opener = OPENED_BY[sign]
    if (opener && text.slice(from, to).includes(opener)) break
    to -= 1
  }
  return { start: from, end: to }
}

/** Matches what may stand before the value in one run: `name=`, `--name:`, `anna/`. */
const BEFORE_VALUE =
  /^(?:!\[CDATA\[|\{?[a-z]{2,10}\}|\$\{[\w.]{1,60}:|-{0,2}[A-Za-z_$][\w.$-]{0,60}(?:\[\])?(?::=|=>|[:=]|->)|[a-z]{2,20}[/%]|[a-z]{2,10}\{|[A-Za-z][\w.]{0,30}@[\w.]{1,40}:)(?=.)/
/** Matches a key that a browser test presses behind the value: `{enter}`. */
const KEYSTROKE = /\{(?:enter|return|tab|esc)\}$/i
const NEXT_PIECE = /[,;)(&]|\]\s*[:=]/

const LETTER_BEYOND_ASCII = /[\u00c0-\u024f\u0370-\u04ff]/

/** Returns true inside a foreign word, a called name, or the rest of a value. */
function isInside(text: string, start: number, end: number): boolean {
  const [before = '', after = ''] = [text[start - 1], text[end]]
  return (
    LETTER_BEYOND_ASCII.test(before) ||
    LETTER_BEYOND_ASCII.test(after) ||
    after === '(' ||
    after === '…' ||
    text.startsWith('...', end)
  )
}

/** Skips the names before the value, as in `--from-literal=password=`. */
function behindNames(text: string, start: number, end: number): { start: number; end: number } {
  let inner = { start, end }
  for (let names = 0; names < 3; names += 1) {
    const before = BEFORE_VALUE.exec(text.slice(inner.start, inner.end))?.[0]
    if (before === undefined) break
    inner = trimmed(text, inner.start + before.length, inner.end)
  }
  return inner
}

/** Returns the candidates of a run: the whole, the part behind a name and a sign, and pieces. */
function candidatesOf(
  text: string,
  run: { start: number; end: number },
  maxPieces = Number.POSITIVE_INFINITY,
): Candidate[] {
  const found: Candidate[] = []
  const add = (start: number, end: number, isPaired: boolean) => {
    if (end - start < MIN_VALUE || end - start > MAX_VALUE_LENGTH) return
    const certainty = isInside(text, start, end) ? 0 : certaintyOf(text.slice(start, end))
    if (certainty > 0) found.push({ start, end, certainty, isPaired })
  }
  const from = text[run.start - 1] === '\\' ? afterEscape(text, run.start) : run.start
  const typed = KEYSTROKE.exec(text.slice(Math.max(from, run.end - 16), run.end))?.[0].length ?? 0
  const { start, end } = trimmed(text, from, run.end - typed)
  if (end - start < MIN_VALUE) return found
  const whole = text.slice(start, end)
  if (KNOWN_FORM.test(whole)) return found
  const inner = behindNames(text, start, end)
  if (inner.start !== start) {
    add(inner.start, inner.end, true)
    if (found.length > 0) return found
  }
  if (NEXT_PIECE.test(whole)) {
    let from = start
    for (let at = start, pieces = 0; at <= end && pieces < maxPieces; at += 1) {
      if (at < end && !',;)(&]['.includes(text[at] as string)) continue
      pieces += 1
      const piece = trimmed(text, from, at)
      const inner = BEFORE_VALUE.exec(text.slice(piece.start, piece.end))?.[0].length ?? 0
      add(piece.start + inner, piece.end, inner > 0)
      from = at + 1
    }
    if (found.length > 0) return found.slice(0, 1)
  }
  add(start, end, false)
  return found
}

/** Matches the rest of a name: `passwords`, `PASSWORD_PROD`, foreign word endings. */
const REST_OF_NAME = /(?:[\w-]|(?![\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])[\p{L}\p{M}]){0,30}/uy

function valueBehind(
  text: string,
  name: Name,
  kind: string,
  candidates: readonly Candidate[],
): Span | undefined {
  const from = endOfName(text, name)
  const own = ownRun(text, from)
  let known: NameLine | undefined
  const line = () => {
    known ??= lineOf(text, name)
    return known
  }
  let tried = 0
  for (const candidate of own.length > 0 ? [...own, ...candidates] : candidates) {
    if (candidate.start < from) continue
    if (candidate.certainty >= neededFor(text, from, candidate, kind, line)) return spanOf(candidate, kind)
    tried += 1
    if (tried >= MAX_CANDIDATES) return undefined
  }
  return undefined
}

/** The names of a long list or query string share a run, so each reads only the beginning of its own. */
const MAX_OWN_PIECES = 6
const AND = 38
const NEXT_PARAMETER = /&\w{1,30}=/y

function ownRun(text: string, from: number): readonly Candidate[] {
  if (!mayHoldValue(text.charCodeAt(from))) return NONE
  let end = from
  while (end < from + MAX_RUN_LENGTH && end < text.length) {
    const code = text.charCodeAt(end)
    if (isHard(code)) break
    NEXT_PARAMETER.lastIndex = end
    if (code === AND && NEXT_PARAMETER.test(text)) break
    end += 1
  }
  return end - from > MIN_VALUE ? candidatesOf(text, { start: from, end }, MAX_OWN_PIECES) : NONE
}

/** In scripts without blanks the value may follow the name directly. */
function endOfName(text: string, { end }: Name): number {
  if (text.charCodeAt(end - 1) > 0x2e80) return end
  REST_OF_NAME.lastIndex = end
  REST_OF_NAME.exec(text)
  return Math.max(end, REST_OF_NAME.lastIndex)
}

type NameLine = { isCommand: boolean; isHeading: boolean; isStart: boolean }

const MAX_LINE_LENGTH = 300
const COMMAND_LINE =
  /^\s{0,8}(?:[\w@:~./()-]{0,40}[$%#❯]|[\w@:~./()-]{0,40}\w>|>>>|PS [^>\n]{0,60}>)\s{1,4}\w/
const HEADING_LINE = /^\s{0,8}(?:#{1,6}\s|[*_]{1,3}\S|=+\s)/

function lineOf(text: string, { start }: Name): NameLine {
  const from = Math.max(0, start - MAX_LINE_LENGTH)
  const near = text.slice(from, start + 1)
  const at = near.lastIndexOf('\n', start - from - 1)
  const before = at === -1 && from > 0 ? '' : near.slice(at + 1)
  return {
    isCommand: COMMAND_LINE.test(before),
    isHeading: HEADING_LINE.test(before),
    isStart: /^\s{0,12}[\w-]{0,20}\S$/.test(before),
  }
}

const NEVER = 9
const TAGS = /<\/?[A-Za-z][^<>\n]{0,160}>/g
/** Matches the flag before a value: `--name token --type String --value `. */
const FLAGGED = /^[^\n|;&]{0,80}[ \t]--?(?:value|val|v|data|secret-string)(?:[ \t]{1,3}|=)["']?$/
/** Matches the end of a call and the arrow to its result: `sign("secret") => "`. */
const RESULT = /^["'`]\)\s{0,3}[=-]>/
/** Matches a call that hashes the value behind it. */
const HASHED = /\b\w{0,20}(?:md5|sha\d{0,3}|hash|crypt)\w{0,12}\(\s{0,3}["']$/i
const DIGEST = /hash|digest|\bsha-?\d|md5|checksum|fingerprint/i
const OTHER_THING =
  /hash|digest|\bsha-?\d|md5|commit|checksum|fingerprint|uuid|version|integrity|thumbprint|signature|bcrypt|argon|public|\bids?\b|\burl|address|\bname\b(?!["']?\s{0,3}[,:])|revision|build|model|https?:/i

/** Returns the certainty that a value needs, depending on what separates the value from its name. */
function neededFor(
  text: string,
  from: number,
  candidate: Candidate,
  kind: string,
  line: () => NameLine,
): number {
  const gap = text.slice(from, candidate.start)
  const shape = shapeOf(gap)
  if (IN_ROW.test(shape)) return VERY_SURE
  if (gap.includes(' -') && FLAGGED.test(gap)) return SURE
  if (RESULT.test(gap)) return NEVER
  const strength = NESTED.test(shape) ? MEDIUM : strengthOf(shape, gap, text, candidate, line)
  if (strength === 0) return NEVER
  if (
    strength < STRONG &&
    (gap.includes('\n') && line().isCommand ? DIGEST : OTHER_THING).test(
      gap.replace(TAGS, ' ').replace(HASHED, ' '),
    )
  )
    return NEVER
  const isPassword = kind === 'password'
  if (NESTED.test(shape)) return isPassword || kind === 'secret' ? SURE : NEVER
  if (strength === STRONG) return kind === 'api_key' ? SURE : UNSURE
  if (strength === MEDIUM) return SURE
  return isPassword ? VERY_SURE : NEVER
}

const WEAK = 1
const MEDIUM = 2
const STRONG = 3

/** A line of a chat that names who speaks, and when. */
const SPEAKER =
  "(?<=\\n)(?:[\\p{L}@][\\p{L}\\d .'_-]{0,40})?[ \\t]{0,3}[[(—·,|-]{0,2} ?(?:\\p{L}{3,9}\\.? \\d{1,2},? (?:at )?)?\\d{1,2}:\\d\\d(?::\\d\\d)?(?: ?[AaPp]\\.?[Mm]\\.?)?[\\])]?:?[ \\t]{0,3}(?=\\r?\\n)"

/** The tokens of a gap, with a letter for each. Blanks, quotes, emphasis and comments get no letter. */
const GAP_TOKENS: readonly [letter: string, pattern: string][] = [
  ['<', '<!\\[CDATA\\[|</?[A-Za-z!][^<>\\n]{0,160}>|/?>(?![ =-])|&nbsp;|\\\\[a-z]{2,10}\\{'],
  ['', '(?<=\\n[ \\t]{0,40})(?:#|//|--)[ \\t][^\\n]{0,120}|/\\*[^\\n]{0,80}\\*/'],
  ['', SPEAKER],
  ['', '(?<=\\n[ \\t]{0,40})(?:\\d{1,3}[.)]|[-*+•])(?=[ \\t])|(?<![\\w"\'])(?:[bBrRuULf@$]|u8)(?=["\'])'],
  [':', ":[ \\t]{0,2}(?=[&*\\[\\w])[\\w<>[\\]&*|?., ']{1,40}[ \\t]=(?!=)"],
  ['(', '\\([^()\\n"\']{0,60}\\)|\\[[^\\[\\]\\n]{0,40}\\]'],
  ['f', '```\\w{0,12}|~~~\\w{0,12}'],
  ['n', '\\r?\\n[ \\t]{0,80}|(?:\\\\[rn]){1,2}(?![a-z])'],
  ['t', '\\t| {2,}(?![:=])|\\.{3,}|_{3,}'],
  ['(', '\\{[^{}\\n"\'=]{0,40}\\}'],
  [
    ':',
    '(?:or|else)(?=[ \\t]{1,3}["\'`])|!={1,2}|\\?:|:{1,2}=?|={1,3}>?|-{1,2}>|~>|<-|[→⇒➜➔›»：＝↓│|]|[—–]|(?<= )-(?= )|>(?=[ -])|\\?\\?|\\|\\|',
  ],
  ['', '\\\\u00[0-9a-fA-F]{2}|[\\s"\'`*_~‘’‚‛“”„‟‹«「」『』【】\\\\-]'],
  [
    'v',
    '(?:[A-Za-z_]{0,20}(?:[vV]alue|VALUE)|val|data|text|content|[dD]efault|secretString|SecretString|result|plaintext|wert|valeur|valor)(?![\\w])',
  ],
  [
    '=',
    "(?:(?<= )(?:enter|use|using|type|try)(?= )|[Ii]s|was|are|be|been|to|from|auf|op|på|c[\\u2019\\u0027]est|equals|(?:it|that|here)[’']s|jetzt|nun|hei(?:ß|ss)t|ist|war|lautet|lauten|est|était|es|era|é|è|jest|je|это|är|er|on|a|à|para|na|til|till|naar|adalah|olarak|now|is:|以下)(?![\\p{L}\\d])|[\\u3040-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7af]{1,10}",
  ],
  ['.', '[.!?](?=\\s)|[?？。]'],
  [',', '[,;]'],
  ['[', '[\\[({<]'],
  ['c', '[\\]}]'],
  ['z', '\\)'],
  ['w', "[\\p{L}\\p{M}\\d][\\p{L}\\p{M}\\w.@/'’:-]{0,60}"],
  ['x', '.'],
] as const
const gapToken = lazily(() => GAP_TOKENS.map(([, pattern]) => `(${pattern})`).join('|'), 'uy')
/** The maximum shape length; no pattern below matches more. */
const MAX_SHAPE_LENGTH = 42

function shapeOf(gap: string): string {
  let shape = ''
  const token = gapToken()
  token.lastIndex = 0
  for (let found = token.exec(gap); found !== null; found = token.exec(gap)) {
    let group = 1
    while (found[group] === undefined) group += 1
    const letter = GAP_TOKENS[group - 1]?.[0] ?? ''
    shape += letter
    // A word that ends with a colon is a word and an operator.
    if (letter === 'w' && found[0].endsWith(':')) shape += ':'
    if (shape.length > MAX_SHAPE_LENGTH) break
  }
  return shape
}

/** Matches `password (root): `, `"password" => `, a label and tags. */
const ASSIGNED = /^(?:[(t<]|w){0,5}[c<(tz]{0,3}:(?:[w(<[c]{1,4}\.?:)?[:<(tc]{0,4}$/
/** Matches `password for the staging database: `. */
const ASSIGNED_LATER = /^[w(=x,]{0,12}[<]{0,2}:[:<(t]{0,3}$/
/** Matches `": "API_KEY", "enabled": true, "value": "`. */
const BESIDE_VALUE =
  /^[(<]{0,3}[,n<x:]{0,4}(?:[(x]?[w=(]{1,2}[<x]{0,2}:?[w=(]{0,3}[,n<x]{1,4}){0,2}[x[(]{0,2}[w]?v[x<(]{0,2}[:,=]?[:<tn(]{0,4}$/
/** Matches `password is` and `password for the server ist`. */
const SAID = /^[w(,.]{0,7}=[w=]{0,3}[:<t[]{0,3}$|^[w=]{0,6}\.$/
/** Matches columns, tags, a comma, or an empty gap. */
const BESIDE = /^[zc]$|^[(]{0,2}\[{0,3}$|^[(w]{0,3}[<t,(]{1,4}\[?$/
/** Matches `user, password = "anna", "`, `"Password", with: "`, `(auth "anna" "`, and tag attributes. */
const IN_QUOTES = /^[w,]{0,4}:w,$|^c?,w:$/
const AFTER_QUOTED = /^\s{1,4}["'][^"'\s]{1,60}["']\s{1,4}["']$/
const ATTRIBUTES = /^(?:w:w){1,3}<{1,2}$/
const BELOW_USER = /^nwn$/
/** Matches the arguments before a value in a call whose name says password: `set_password("app", "anna", "`. */
const ARGUMENTS = /^[w:]{0,2}(?:\[w?){2,3}$|^w?\[(?:[w(]{1,3}:?,){1,4}w?:?$/
/** Matches `"password"] "`, `password:"; send "`. */
const QUOTED_BEFORE = /^c{1,2}$|^:?[,n]{1,2}w{1,2}$/
/** Matches the pairs of a block before its value: `"db" {` and `length = 16` above `result = "`. */
const IN_BLOCK =
  /^[w(]?[:[]{1,2}n?(?:w[:w(]{1,3}[,.]?n?){0,4}v:[<(]{0,2}$|^(?:w:w,?){1,3}v:$|^:\[{1,2}(?:w:w,){0,2}v:$|^:w?\[v:$|^:w?[([]w?z?:$/
/** Matches rows of cells between tabs. */
const IN_ROW = /^(?:t[w:(=]{1,12}){1,4}t$/
/** Matches `").type("`, `= []byte("`, `{ return "`. */
const CALLED = /^[:(txzc]{0,4}[w(]{0,2}[x]{0,2}[w]{0,2}\[$|^[w]{0,1}:[(:w=x]{0,3}\[{0,2}$|^:\[{1,2}w?$/
/** Matches `"password": {"plain": "`. */
const NESTED = /^:\[{1,2}(?:w:w,){0,2}w:$/
/** Matches the end of a sentence that announces the next line. */
const ANNOUNCED = /[:：]["'*_`]{0,4}\s*$|\b(?:below|following|next|once|again|copy|save|store)\b[^\n]{0,40}$/i
const BELOW_SENTENCE = /^[^nf]{0,40}n{1,2}[:<x]?f?n?$/
/** Matches a heading and the label of a list item below it: `Passwords:` and `- mail: `. */
const IN_LIST = /^[(]?:nw{1,3}:$/
/** Matches the marker of a secret in a build's output: `issecret=true]`. */
const MARKED = /^:wc$/
/** Matches a function that returns the value: `password() { return "`. */
const RETURNED = /^[ \t]{0,3}\(?[^()\n"']{0,60}\)?[^\n"'=]{0,40}\n?[^\n"'=]{0,40}\breturn[ \t]{1,3}["'`]$/
const isReturned = (gap: string) => gap.includes('return') && RETURNED.test(gap)
/** Matches a choice whose last value stands in quotes: ` = a ? b : "`. */
const CHOSEN =
  /^\s{0,3}[:=][^\n;]{1,80}(?:\?\??|\|\||:|\bor|\belse|\b(?:default|orElse|unwrap_or)\()\s{0,3}["'`]$/
/** Matches a statement with placeholders, and the values behind it: `password=%s WHERE id=%s", ("`. */
const BOUND = /^\s{0,3}=\s{0,3}(?:%s|\?|[:@$]\w{1,20})[^"'`\n]{0,80}["'`]{1,3}\s{0,3},\s{0,3}[[({]{0,2}["'`]$/
/** Matches a value on the next line, with or without a colon, in a fence. */
const BELOW = /^[(w=]{0,8}[<]{0,2}[:t.]{0,3}[<]{0,2}n[nft<:x=]{0,6}$/
const DIRECTLY_BELOW = /^[(]?[<]{0,2}[:t.]{0,3}[<]{0,2}n[nft<:x=]{0,6}$/
const ANSWERED = /^[w(=]{0,8}[.][:]?n[n]?[(]?w?[:]?$/
const PRINTED = /^[^nf]{0,40}n$/
const IN_SENTENCE = /^[w=,(]{1,9}[[<]?$/

const ALONE = /["'`*_~”»」)\]}]{0,6}(?:<\/?\w[^<>\n]{0,60}>){0,3}\\{0,2}[ \t]{0,20}(?=\r?\n|$)/y

function strengthOf(
  shape: string,
  gap: string,
  text: string,
  candidate: Candidate,
  line: () => NameLine,
): number {
  if (shape.includes('n')) {
    if (BESIDE_VALUE.test(shape) || IN_BLOCK.test(shape)) return STRONG
    if (isReturned(gap)) return MEDIUM
    ALONE.lastIndex = candidate.end
    if (!ALONE.test(text)) return shape.endsWith('<') && /^[(:]?[<n]{1,8}$/.test(shape) ? MEDIUM : 0
    if (DIRECTLY_BELOW.test(shape)) return STRONG
    if (BELOW.test(shape))
      return shape.includes(':') || shape.includes('f') || line().isHeading ? STRONG : MEDIUM
    if (IN_LIST.test(shape)) return MEDIUM
    if (BELOW_SENTENCE.test(shape) && ANNOUNCED.test(gap.slice(0, gap.indexOf('\n')))) return MEDIUM
    if (ANSWERED.test(shape) || BELOW_USER.test(shape)) return MEDIUM
    return line().isCommand && PRINTED.test(shape) ? MEDIUM : 0
  }
  if (ASSIGNED.test(shape) || (candidate.isPaired && shape === '' && !/\s/.test(gap))) return STRONG
  if (BESIDE_VALUE.test(shape) || IN_BLOCK.test(shape) || MARKED.test(shape)) return STRONG
  if (ASSIGNED_LATER.test(shape)) return MEDIUM
  if (SAID.test(shape) || BESIDE.test(shape)) return MEDIUM
  if (CALLED.test(shape) || ATTRIBUTES.test(shape) || AFTER_QUOTED.test(gap)) return MEDIUM
  if (/["'`]$/.test(gap)) {
    if (
      IN_QUOTES.test(shape) ||
      ARGUMENTS.test(shape) ||
      BOUND.test(gap) ||
      CHOSEN.test(gap) ||
      isReturned(gap)
    )
      return MEDIUM
    if (/^[:.]?["'`]/.test(gap) && QUOTED_BEFORE.test(shape)) return MEDIUM
  }
  if (!IN_SENTENCE.test(shape)) return 0
  return isDirective(gap, text, candidate, line) ? MEDIUM : WEAK
}

/** Returns true for a configuration line that ends with the value: `AUTH app …`, `password 0 …`. */
function isDirective(gap: string, text: string, { end }: Candidate, line: () => NameLine): boolean {
  const words = gap.trim().split(/\s+/)
  if (words.length > 2 || !/^\s/.test(gap)) return false
  if (!line().isStart && words.some((word) => !/^\d{1,2}$/.test(word))) return false
  ALONE.lastIndex = end
  return ALONE.test(text)
}

const MAX_LENGTH_BEFORE = 100
const LINKING =
  /^(?:as|into|in|to|is|was|for|with|that|thats|this|forKey:|key:|name:|label:|for:|--name|--key|named|als|ist|war|come|como|comme|est|es|era|é|è|jako|som|är|er|jest|je|how|—|–|-|=|это|как|\()$/i
/** Matches a comment at the end of a line, or a backward arrow. */
const REMARKING = /^(?:#|\/\/|--|\/\*|←|<-|<=|⇐|⬅️?)$/
/** Matches a comment of words up to the name: `# host, user, `. */
const REMARK = /\S[ \t]{1,8}(?:#|\/\/|--|\/\*|←|<-)[ \t]{1,3}[\w ,/-]{0,60}$/
const COMPARED = /^\.(?:equals|eq|to_eq|compare)\w{0,20}\($/
const NAME_KEY =
  /(?:^|[\s"'{,<([])(?:[A-Za-z_]{0,20}?(?:name|key)|id|label|field|k)["']?\s{0,3}(?:[:=>]|:=|=>)\s{0,3}["']?[\w.-]{0,40}$/i
const VALUE_KEY =
  /(?<![A-Za-z])(?:[A-Za-z_]{0,20}value|val|v)["']?\s{0,3}(?:[:=>]|:=|=>)\s{0,3}["']?([^\s"'`<>,]{8,200})/i
const MAX_PAIR_LENGTH = 260

/** Returns the value in `value: …` before `name: DB_PASSWORD`. */
function valueOfPair(text: string, name: Name, kind: string): Span | undefined {
  if (!NAME_KEY.test(text.slice(Math.max(0, name.start - 60), name.start))) return undefined
  const from = Math.max(0, name.start - MAX_PAIR_LENGTH)
  const found = lastValueKey(text.slice(from, name.start))
  if (!found) return undefined
  const { start, end } = trimmed(text, from + found.start, from + found.end)
  return certaintyOf(text.slice(start, end)) >= SURE
    ? spanOf({ start, end, certainty: SURE }, kind)
    : undefined
}

function lastValueKey(before: string): { start: number; end: number } | undefined {
  const at = Math.max(before.lastIndexOf('alue'), before.lastIndexOf('ALUE'), before.lastIndexOf('val"'))
  if (at === -1) return undefined
  const from = Math.max(0, at - 24)
  const part = before.slice(from)
  const found = VALUE_KEY.exec(part)
  const value = found?.[1]
  if (!found || value === undefined) return undefined
  const end = from + found.index + found[0].length
  if (/\n\s*\n|\}\s*,?\s*\{|\n\s*- /.test(before.slice(end).replace(/\s{0,20}$/, ''))) return undefined
  return { start: end - value.length, end }
}

/** Returns the value in `… is the new root password` or `use … as password`. */
function valueInSentence(text: string, { start }: Name, kind: string): Span | undefined {
  const from = Math.max(0, start - MAX_LENGTH_BEFORE)
  let at = start
  // A name inside a longer word does not describe what stands before the word.
  while (at > from && !isHard(text.charCodeAt(at - 1))) at -= 1
  if (start - at > 20) return undefined
  let isLinked = text[at] === '(' || COMPARED.test(text.slice(at, start))
  const remark = REMARK.exec(text.slice(from, start))
  let isRemarked = remark !== null && kind === 'password'
  if (isRemarked && remark) at = from + remark.index + 1
  for (let words = 0; words < (isRemarked ? 12 : isLinked ? 9 : 5); words += 1) {
    let end = at
    while (end > from && text[end - 1] !== '\n' && isHard(text.charCodeAt(end - 1))) end -= 1
    if (/[←⬅]/.test(text.slice(end, at))) isRemarked = true
    if (end === from || text[end - 1] === '\n') return undefined
    at = end
    while (at > from && !isHard(text.charCodeAt(at - 1))) at -= 1
    const word = text.slice(at, end)
    if (REMARKING.test(word) && kind === 'password') isRemarked = true
    if (LINKING.test(word) || word.startsWith('(') || isRemarked) isLinked = true
    if (LINKING.test(word) || REMARKING.test(word) || word.startsWith('(')) continue
    if (isRemarked) {
      const found = candidatesOf(text, { start: at, end }).find(({ certainty }) => certainty >= SURE)
      if (found) return spanOf(found, kind)
      continue
    }
    if (isLinked && end - at >= MIN_VALUE) {
      const value = trimmed(text, at, end)
      const needed = kind === 'password' ? SURE : VERY_SURE
      if (certaintyOf(text.slice(value.start, value.end)) >= needed)
        return spanOf({ ...value, certainty: needed }, kind)
    }
    if (/^[,;)]$/.test(word)) continue
    if (/[.:;,!?]$/.test(word) || (isLinked && !isLetter(word.charCodeAt(0)) && !isDigit(word.charCodeAt(0))))
      return undefined
  }
  return undefined
}
