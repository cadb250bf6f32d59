import { escapeHtml } from './escape-html.ts'
import { fold } from './fold.ts'
import { looksLikeTrace } from './noise.ts'
import { type CardFields, type Mark, markParts, type Part, type WantedTerms } from './read-texts.ts'
import { partsOfName } from './token-cache.ts'

// There are two snippets because there are two kinds of search. This one is for ranked search of cards: it knows stemmed
// terms, chooses the window with the most of them, and writes HTML with marks. literal-snippet.ts is for the search of
// memory by substring: it knows the characters as typed and gives plain text. They share no step.

const LONGEST_SNIPPET = 240
/** Beside a trace the fix is shown; each then has half of the room. */
const LONGEST_BESIDE = 120
const MOST_MATCHED = 20
/** More marks than these do not help a reader. */
const MOST_MARKS = 8
const MOST_SAID = 8

/** The texts of a card with what matched in them; `explain` says it in words. */
export type Marked = {
  title: Part
  parts: Part[]
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
  const [title, ...parts] = all as [Part, ...Part[]]
  return { title, parts, forms: formsIn(all) }
}

function formsIn(parts: readonly Part[]): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>()
  for (const { text, marks } of parts)
    for (const { start, end, terms } of marks) {
      const token = text.slice(start, end)
      for (const term of terms) {
        const known = forms.get(term) ?? new Set()
        forms.set(term, known.add(formOf(token, term)))
      }
    }
  return forms
}

/** Where the window begins that shows the most different terms; the earliest of equals. */
function bestWindow(marks: readonly Mark[]): { from: number; distinct: number } {
  let best = { from: 0, distinct: 0 }
  for (let i = 0; i < marks.length; i++) {
    const { start } = marks[i] as Mark
    const seen = new Set<string>()
    let next = i
    for (; next < marks.length; next++) {
      const mark = marks[next] as Mark
      if (mark.end - start > LONGEST_SNIPPET) break
      for (const term of mark.terms) seen.add(term)
    }
    if (seen.size > best.distinct) best = { from: start, distinct: seen.size }
    // A later window shows a part of what this one shows.
    if (next === marks.length) break
  }
  return best
}

const WORD_BREAK = /\s/

/** Begins a little before the first mark and at a word, so that the reader sees what it belongs to. */
function windowAround(text: string, from: number, longest: number): { start: number; end: number } {
  const lead = 40
  let start = Math.max(0, from - lead)
  if (start > 0) {
    const space = text.slice(start, from).search(WORD_BREAK)
    start = space < 0 ? from : start + space + 1
  }
  let end = Math.min(text.length, start + longest)
  if (end < text.length) {
    const tail = text.slice(end - lead, end)
    const space = tail.lastIndexOf(' ')
    if (space > 0) end = end - lead + space
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
export function explain({ title, parts }: Marked, remedy = ''): Shown {
  // The title is shown beside the snippet, so it is quoted only where nothing else matched.
  let shown = { part: title, window: bestWindow(title.marks) }
  let most = 0
  for (const part of parts) {
    const window = bestWindow(part.marks)
    if (window.distinct <= most) continue
    most = window.distinct
    shown = { part, window }
  }
  const snippet = snippetOf(shown.part, shown.window.from, remedy)
  return { ...wordsIn([title, ...parts]), snippet, isLog: shown.part.isLog }
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
    for (const { start, end } of marks) {
      const word = fold(text.slice(start, end))
      matched.add(word)
      if (!SAYS_NOTHING.test(word)) said.set(where, (said.get(where) ?? new Set()).add(word))
    }
  return {
    matched: [...matched].slice(0, MOST_MATCHED),
    why: Array.from(said, ([where, words]) => ({ where, words: [...words].slice(0, MOST_SAID) })),
  }
}

const IS_NAME = /_|\p{Ll}\p{Lu}/u

/** Of a name the part that the term stands for, where it is one. */
function formOf(token: string, term: string): string {
  if (!IS_NAME.test(token)) return fold(token)
  const parts = partsOfName(token)
  const whole = parts.join('')
  return whole === term ? whole : (parts.find((part) => part.startsWith(term.slice(0, 3))) ?? fold(token))
}
