import { escapeHtml } from './escape-html.ts'
import { fold } from './fold.ts'
import { looksLikeTrace } from './noise.ts'
import { type CardFields, type Mark, markParts, type Part, type WantedTerms } from './read-texts.ts'
import { partsOfName, readToken } from './token-cache.ts'

// There are two snippets because there are two kinds of search. This one is for ranked search of cards: it knows stemmed
// terms, chooses the window with the most of them, and writes HTML with marks. literal-snippet.ts is for the search of
// memory by substring: it knows the characters as typed and gives plain text. They share no step.

const LONGEST_SNIPPET = 240
/** How much is shown before the first mark, at most. */
const LEAD = 40
/** Beside a trace the fix is shown; each then has half of the room. */
const LONGEST_BESIDE = 120
const MOST_MATCHED = 20
/** More marks than these do not help a reader. */
const MOST_MARKS = 8
const MOST_SAID = 8

/**
 * What matched in the texts of a card; `explain` says it in words. A search holds many of these at once, and a text may
 * repeat a word thousands of times, so of the marks only those that can be shown stay.
 */
export type Marked = {
  /** The text to quote, and where in it the window begins. */
  best: { part: Part; from: number }
  words: Pick<Shown, 'matched' | 'why'>
  /** The words of the card that stand for each term, as they are written there, folded. */
  forms: ReadonlyMap<string, ReadonlySet<string>>
}

export type Shown = {
  matched: string[]
  snippet: string
  /** The snippet is from a log. */
  isLog: boolean
  /** Which words matched where, without single letters and bare digits, which match by chance. */
  why: { where: string; words: string[] }[]
}

/** Finds the words of a card that matched. */
export function markTexts(texts: CardFields, terms: WantedTerms): Marked {
  const all = markParts(texts, terms)
  return { best: bestPart(all), words: wordsIn(all), forms: formsIn(all) }
}

function formsIn(parts: readonly Part[]): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>()
  const known = new Set<string>()
  for (const { text, marks } of parts)
    for (const { start, end, terms } of marks) {
      const token = text.slice(start, end)
      if (known.has(token)) continue
      known.add(token)
      const formOf = formsOfToken(token)
      for (const term of new Set(terms)) {
        const ofTerm = forms.get(term) ?? new Set()
        forms.set(term, ofTerm.add(formOf(term)))
      }
    }
  return forms
}

/** The part with the window that shows the most. The title is shown beside it, so it is quoted only where nothing else matched. */
function bestPart([title, ...parts]: readonly Part[]): Marked['best'] {
  let best = { part: title as Part, from: bestWindow((title as Part).marks).from }
  let most = 0
  for (const part of parts) {
    const { from, distinct } = bestWindow(part.marks)
    if (distinct <= most) continue
    most = distinct
    best = { part, from }
  }
  return { ...best, part: { ...best.part, marks: best.part.marks.filter(isNear(best.from)) } }
}

const isNear =
  (from: number) =>
  ({ start, end }: Mark): boolean =>
    end > from - LEAD && start < from + LONGEST_SNIPPET

/**
 * Where the window begins that shows the most different terms; the earliest of equals. It moves from mark to mark and
 * counts what comes in and what goes out: a text may consist of marks alone.
 */
function bestWindow(marks: readonly Mark[]): { from: number; distinct: number } {
  let best = { from: 0, distinct: 0 }
  const inside = new Map<string, number>()
  let next = 0
  for (let i = 0; i < marks.length; i++) {
    const { start, terms } = marks[i] as Mark
    next = Math.max(next, i)
    for (; next < marks.length && (marks[next] as Mark).end - start <= LONGEST_SNIPPET; next++)
      for (const term of (marks[next] as Mark).terms) inside.set(term, (inside.get(term) ?? 0) + 1)
    if (inside.size > best.distinct) best = { from: start, distinct: inside.size }
    // A later window shows a part of what this one shows.
    if (next === marks.length) break
    if (next > i) for (const term of terms) leave(inside, term)
  }
  return best
}

function leave(inside: Map<string, number>, term: string): void {
  const left = (inside.get(term) ?? 0) - 1
  if (left > 0) inside.set(term, left)
  else inside.delete(term)
}

const WORD_BREAK = /\s/

/** Begins a little before the first mark and at a word, so that the reader sees what it belongs to. */
function windowAround(text: string, from: number, longest: number): { start: number; end: number } {
  let start = Math.max(0, from - LEAD)
  if (start > 0) {
    const space = text.slice(start, from).search(WORD_BREAK)
    start = space < 0 ? from : start + space + 1
  }
  let end = Math.min(text.length, start + longest)
  if (end < text.length) {
    const tail = text.slice(end - LEAD, end)
    const space = tail.lastIndexOf(' ')
    if (space > 0) end = end - LEAD + space
  }
  return { start, end: keepPairWhole(text, end) }
}

/** An end between the two halves of a character would show a broken one. */
const keepPairWhole = (text: string, end: number) => {
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

function render(
  text: string,
  marks: readonly Mark[],
  { start, end }: { start: number; end: number },
): string {
  let html = start > 0 ? '…' : ''
  let at = start
  let marked = 0
  for (const mark of marks) {
    if (mark.end <= at || mark.end > end) continue
    const from = Math.max(mark.start, at)
    if (from < start) continue
    // Pairs of characters that touch are one mark to the eye.
    const isNew = from > at || marked === 0
    if (isNew && marked === MOST_MARKS) break
    if (isNew) marked++
    html += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, mark.end))}</mark>`
    at = mark.end
  }
  return (html + escapeHtml(text.slice(at, end)) + (end < text.length ? '…' : ''))
    .replaceAll('</mark><mark>', '')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Why a card was found: its words that matched, and the part of its texts that shows most of them, as HTML in which
 * nothing but the marks is markup. If that part is a trace, `remedy` is shown beside it, because the reader already
 * knows the trace.
 */
export function explain({ best: { part, from }, words }: Marked, remedy = ''): Shown {
  return { ...words, snippet: snippetOf(part, from, remedy), isLog: part.isLog }
}

function snippetOf({ text, marks, isLog }: Part, from: number, remedy: string): string {
  const shown = windowAround(text, from, LONGEST_SNIPPET)
  if (remedy === '' || !(isLog || looksLikeTrace(text.slice(shown.start, shown.end))))
    return render(text, marks, shown)
  const fix = render(remedy, [], windowAround(remedy, 0, LONGEST_BESIDE))
  return `${render(text, marks, windowAround(text, from, LONGEST_BESIDE))} · Fix: ${fix}`
}

const SAYS_NOTHING = /^(?:[\p{L}\p{M}]|[\p{N}.]+)$/u

function wordsIn(parts: readonly Part[]): Pick<Shown, 'matched' | 'why'> {
  const matched = new Set<string>()
  const said = new Map<string, Set<string>>()
  for (const { where, text, marks } of parts)
    for (const token of new Set(marks.map(({ start, end }) => text.slice(start, end)))) {
      const word = fold(token)
      matched.add(word)
      if (!SAYS_NOTHING.test(word)) said.set(where, (said.get(where) ?? new Set()).add(word))
    }
  return {
    matched: [...matched].slice(0, MOST_MATCHED),
    why: Array.from(said, ([where, words]) => ({ where, words: [...words].slice(0, MOST_SAID) })),
  }
}

const IS_NAME = /_|\p{Ll}\p{Lu}/u

/**
 * For each term of a token how it is written there: of a name the part that the term stands for, where it is one. A long
 * name is cut into its parts once, not once for each of them.
 */
function formsOfToken(token: string): (term: string) => string {
  const folded = fold(token)
  if (!IS_NAME.test(token)) return () => folded
  const parts = partsOfName(token)
  const whole = readToken(token).terms.at(-1)
  return (term) =>
    term === whole ? parts.join('') : (parts.find((part) => part.startsWith(term.slice(0, 3))) ?? folded)
}
