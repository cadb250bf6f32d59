import type { ContextEventType } from '../../db/knowledge-schema.ts'
import { turnParts } from '../../shared/memory.ts'
import { termsOf } from '../../text/analyse.ts'
import { isCommonStem, STOP_STEMS } from '../../text/terms.ts'
import { beginningOf } from '../../text/unicode.ts'

/** One event of a conversation. */
export type Told = { content: string; created_at: string; event_type?: ContextEventType }

type Side = 'user' | 'agent'

type Sentence = {
  text: string
  side: Side
  /** The event that says it. */
  event: number
  /** The place among all sentences, 0 to 1. */
  place: number
  terms: ReadonlySet<string>
  /** How much the kind of sentence counts: a decision more, a question or a plan less. */
  rank: number
}

/** In characters: of a long conversation only this much is read, its end before its beginning. */
const MAX_READ = 24_000
const MAX_SENTENCES = 250
/** Longer sentences, such as lists in one line, are split at a semicolon. */
const LONG_SENTENCE = 320

const SENTENCE_END = /(?<=[.!?…]["'”’)`*]{0,2}) (?=["'“‘(`*[]?[\p{Lu}\p{N}\p{Lo}])|(?<=[。！？])/u
const PART = /(?<=;) /
const SAYS_SOMETHING = /[\p{L}\p{N}]/u

/** Splits a text into lines first: a pattern for space around line ends would take long over many blanks. */
export function sentencesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .flatMap((line) => line.split(SENTENCE_END))
    .flatMap((sentence) => (sentence.length > LONG_SENTENCE ? sentence.split(PART) : [sentence]))
    .filter((sentence) => SAYS_SOMETHING.test(sentence))
}

/** Matches a refusal or correction at the beginning of what a person says. */
const CORRECTS =
  /^(?:no\b|nope\b|not\b|never\b|don['’]?t\b|careful\b|wrong\b|stop\b|actually\b|instead\b|nein\b|nicht\b|nie\b|falsch\b|sondern\b|lieber\b)|off the table|(?:exactly|that['’]?s) the (?:wrong|bug)/iu
const DECIDES =
  /\b(?:let['’]?s|we (?:have )?(?:decided|agreed|settled)|decided|decision|agreed|settled|settle on|from now on|instead|rather than|must|never|always|only|exactly|off the table|policy|rule|required?|amend\w*|supersed\w*|no longer|keep|use|drop|reject\w*|unconditional\w*|not allowed|forbidden|beschlossen|entschieden|ab jetzt|ab sofort|stattdessen|immer|niemals|nie|nur|genau|muss|müssen|darf|dürfen|gilt)\b/iu
const RECAPS =
  /^(?:(?:to )?(?:recap|summar\w+|sum up)|in (?:summary|short)|settled|final(?:ly)?\b|so,? (?:the )?(?:final|to)|agreed|got it|amended|decision|conclusion|result|confirmed|understood|zusammen\w+|kurz|ergebnis|beschlossen|festgehalten|also gilt)|\b(?:recap|final (?:shape|rule|policy|version)|policy, superseding)\b/iu
const PLANS =
  /^(?:i['’]?ll|i will|i['’]?m going to|i would|i['’]?d|let me|my plan|looking (?:at|into)|i (?:need|want|plan) to|next,? i|then i['’]?ll|maybe|perhaps|ich werde|ich würde|ich schaue|mein plan|vielleicht)\b|\b(?:want me to|should i|shall i|do you want|mind if)\b/iu
const ASKS = /\?["'”’)`*]*$/
const ASIDE =
  /^(?:unrelated|separately|side note|by the way|btw|heads[- ]up|oh,|also a heads|different topic|nebenbei|übrigens)/iu
const NAMES = /`|\d|\w_\w|[a-z][A-Z]|[=<>{}[\]]/u

function rankOf(text: string, side: Side, isOverruled: boolean): number {
  let rank = side === 'user' ? 1.1 : 1
  if (ASKS.test(text)) rank *= 0.35
  else if (PLANS.test(text)) rank *= 0.5
  else if (RECAPS.test(text)) rank *= 1.6
  else if (DECIDES.test(text) || CORRECTS.test(text)) rank *= 1.4
  if (ASIDE.test(text)) rank *= 0.3
  if (NAMES.test(text)) rank *= 1.15
  return isOverruled ? rank * 0.4 : rank
}

type Part = { text: string; side: Side; event: number }

function partsOf(told: readonly Told[]): Part[] {
  let left = MAX_READ
  const parts: Part[] = []
  for (let event = told.length - 1; event >= 0 && left > 0; event--) {
    const { content, event_type } = told[event] as Told
    const { message, report } = turnParts(content)
    const reporter = event_type === 'user_message' ? 'user' : 'agent'
    for (const [side, text] of [
      [reporter, report],
      ['user', message],
    ] as const)
      if (text !== null && left > 0) {
        parts.push({ text: text.slice(0, left), side, event })
        left -= text.length
      }
  }
  return parts.reverse()
}

function sentencesOf(told: readonly Told[]): Sentence[] {
  const parts = partsOf(told)
  const found = parts.flatMap(({ text, side, event }, at) => {
    const next = parts[at + 1]
    const isOverruled = side === 'agent' && next?.side === 'user' && CORRECTS.test(next.text.trim())
    let follows = false
    return sentencesIn(text).map((piece) => {
      // What follows "Recap:" in the same answer belongs to it.
      const isRecap = RECAPS.test(piece)
      follows ||= isRecap
      const rank = rankOf(piece, side, isOverruled) * (follows && !isRecap && !ASKS.test(piece) ? 1.3 : 1)
      return { text: piece, side, event, rank, terms: termsIn(piece) }
    })
  })
  const sentences = found.slice(-MAX_SENTENCES)
  return sentences.map((one, at) => ({ ...one, place: at / Math.max(1, sentences.length - 1) }))
}

const termsIn = (text: string): Set<string> =>
  new Set(termsOf(text).filter((term) => term.length > 1 && !STOP_STEMS.has(term)))

export type ExcerptLine = { side: Side; event: number; text: string }

/** A line costs this much beside its text: who says it. */
const LINE_CHARACTERS = 8
/** The share of the first sentence's gain below which a sentence adds too little. */
const LEAST_SHARE = 0.03
/** Questions, asides and refused proposals only cost room: what came of them is said by others. */
const MIN_RANK = 0.45
/** Below 1, so that a long sentence that says much is not given up for several short ones. */
const LENGTH_POWER = 0.6
const COMMON_WORD = 0.6
const KNOWN_WORD = 0.3
const SEARCHED_WORD = 1.5
const SAID_TWICE = 0.1
const MOST_TIMES = 6
/** The last sentence of a conversation counts this much, the first one less. */
const AT_END = 1.3
const AT_BEGINNING = 0.7

/** Weighs each word by how often the conversation comes back to it: that is what it is about. */
function weightsOf(
  sentences: readonly Sentence[],
  asked: ReadonlySet<string>,
  askedWeight: number,
): Map<string, number> {
  const weights = new Map<string, number>()
  for (const { terms } of sentences) for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + 1)
  for (const [term, times] of weights) {
    const common = isCommonStem(term) ? COMMON_WORD : 1
    weights.set(
      term,
      Math.log2(1 + Math.min(MOST_TIMES, times)) * common * (asked.has(term) ? askedWeight : 1),
    )
  }
  return weights
}

type Asked = {
  /** The words that the reader has already, or has searched for. */
  known: ReadonlySet<string>
  /** The sentences stand for themselves, so they must say what the words are about. */
  isSearched?: boolean
  /** In characters. */
  room: number
  isLeftOut?: ((sentence: string) => boolean) | undefined
}

/** How much a sentence counts that has a word of the question, that stands beside one, and any other. */
const NEARNESS = [1, 0.5, 0.15] as const

/** Says of each sentence how near it is to the words of a question. */
function nearnessIn(sentences: readonly Sentence[], asked: ReadonlySet<string>): number[] {
  const has = sentences.map(({ terms }) => [...terms].some((term) => asked.has(term)))
  return has.map((here, at) => NEARNESS[here ? 0 : has[at - 1] || has[at + 1] ? 1 : 2])
}

/** Returns the places of the sentences that together add most, within the room. */
function choose(sentences: readonly Sentence[], { known, room, isSearched }: Asked): number[] {
  const weights = weightsOf(sentences, known, isSearched ? SEARCHED_WORD : KNOWN_WORD)
  const nearness = isSearched ? nearnessIn(sentences, known) : undefined
  const said = new Set<string>()
  const chosen = new Set<number>()
  const costOf = ({ text }: Sentence) => text.length + LINE_CHARACTERS
  const gainOf = ({ terms, rank, place }: Sentence, at: number) => {
    let gain = 0
    for (const term of terms) gain += (weights.get(term) ?? 0) * (said.has(term) ? SAID_TWICE : 1)
    return gain * rank * (AT_BEGINNING + (AT_END - AT_BEGINNING) * place) * (nearness?.[at] ?? 1)
  }
  let [left, first] = [room, 0]
  for (;;) {
    let best = { at: -1, worth: 0, gain: 0 }
    for (const [at, sentence] of sentences.entries()) {
      if (chosen.has(at) || costOf(sentence) > left || sentence.rank < MIN_RANK) continue
      const gain = gainOf(sentence, at)
      const worth = gain / costOf(sentence) ** LENGTH_POWER
      if (worth > best.worth) best = { at, worth, gain }
    }
    const added = sentences[best.at]
    first ||= best.gain
    if (!added || best.gain < LEAST_SHARE * first) return [...chosen].sort((a, b) => a - b)
    chosen.add(best.at)
    for (const term of added.terms) said.add(term)
    left -= costOf(added)
  }
}

const AMENDS =
  /\b(?:amend\w*|supersed\w*|no longer|from now on|turned out|instead of|replaces?|replaced|change of plan|we changed|changed our|revis\w+|correction|on second thought|ab jetzt|ab sofort|nicht mehr|stattdessen|geändert|ersetzt|korrektur)\b/iu
const OPENING_CHARACTERS = 600

/** Returns true if a conversation begins by changing what was settled before. */
export const opensAmendment = ([first]: readonly Told[]): boolean =>
  first !== undefined && AMENDS.test(first.content.slice(0, OPENING_CHARACTERS))

/** Says what a conversation adds to what is known: decisions before questions, in the order of time. */
export function excerptOf(told: readonly Told[], asked: Asked): ExcerptLine[] {
  const { room, isLeftOut } = asked
  const most = room - LINE_CHARACTERS
  const sentences = sentencesOf(told)
    .filter(({ text }) => !isLeftOut?.(text))
    .map((one) => (one.text.length > most ? { ...one, text: beginningOf(one.text, most - 1) } : one))
  const lines: ExcerptLine[] = []
  for (const at of choose(sentences, asked)) {
    const { side, event, text } = sentences[at] as Sentence
    const before = lines.at(-1)
    if (before?.side === side && before.event === event) before.text += ` ${text}`
    else lines.push({ side, event, text })
  }
  return lines
}

/** Returns the sentences of one text that add most to what a prompt says. A text that fits is returned whole. */
export function sentencesThatAdd(prompt: string, content: string, room: number): string {
  if (content.length <= room) return content
  const lines = excerptOf([{ content, created_at: '' }], { known: new Set(termsOf(prompt)), room })
  return textOfExcerpt(lines)
}

export const textOfExcerpt = (lines: readonly ExcerptLine[]): string =>
  lines.map(({ text }) => text).join('\n')

/** In characters: of a long event the surroundings of what was asked for are read. */
const SURROUNDINGS = { before: 1500, after: 3000 }
const SNIPPET_CHARACTERS = 320
const WHOLE_CHARACTERS = 240
const SPEAKERS = { user: 'You', agent: 'Agent' } as const

/** Returns what each speaker says in an excerpt, one line for each. */
export const spokenLines = (lines: readonly ExcerptLine[], before = (_: number) => ''): string =>
  lines.map(({ side, event, text }) => `${before(event)}${SPEAKERS[side]}: ${text}`).join('\n')

/** Returns what an event says about a question; undefined if it is short enough to be shown as it is. */
export function saidAbout(
  { content, created_at }: Told,
  asked: ReadonlySet<string>,
  at: number,
): string | undefined {
  const { message, report } = turnParts(content)
  if (content.length <= WHOLE_CHARACTERS) return undefined
  const isLong = content.length > SURROUNDINGS.before + SURROUNDINGS.after
  const from = isLong ? Math.max(0, at - SURROUNDINGS.before) : 0
  const read = isLong ? content.slice(from, at + SURROUNDINGS.after) : content
  const room = { known: asked, room: SNIPPET_CHARACTERS, isSearched: true }
  const lines = excerptOf([{ content: read, created_at }], room)
  if (lines.length === 0) return undefined
  const isWholeTurn = message !== null && report !== null && !isLong
  return isWholeTurn ? spokenLines(lines) : textOfExcerpt(lines)
}

const MAX_LINES_COMPARED = 300
const MAX_CONTRADICTIONS = 3
/** The share of a line's words from which a sentence is about the same. */
const SAME_SUBJECT = 0.5
const MIN_SHARED = 2

export type Contradiction = { line: string; event: number; said: string }

/** Finds decisions of events about lines of a document, which the lines do not say yet. */
export function contradictionsOf(lines: readonly string[], told: readonly Told[]): Contradiction[] {
  const decisions = sentencesOf(told).filter(
    ({ text, rank }) => rank > 1 && (DECIDES.test(text) || CORRECTS.test(text) || AMENDS.test(text)),
  )
  const found = new Map<string, Contradiction & { shared: number }>()
  for (const line of lines.slice(0, MAX_LINES_COMPARED)) {
    const terms = termsIn(line)
    for (const { text, side, event, terms: said } of decisions) {
      const shared = [...terms].filter((term) => said.has(term)).length
      const isNews = [...said].some((term) => !terms.has(term))
      if (shared < MIN_SHARED || shared < SAME_SUBJECT * terms.size || !isNews) continue
      const before = found.get(text)
      if (!before || shared > before.shared)
        found.set(text, { line, event, said: `${SPEAKERS[side]}: ${text}`, shared })
    }
  }
  return [...found.values()].sort((a, b) => b.shared - a.shared).slice(0, MAX_CONTRADICTIONS)
}
