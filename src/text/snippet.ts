import { tokens } from './analyse.ts'
import { escapeHtml } from './escape-html.ts'
import { fold } from './fold.ts'

// There are two snippets because there are two kinds of search. This one is for ranked search of cards: it knows stemmed
// terms, chooses the window with the most of them, and writes HTML with marks. literal-snippet.ts is for the search of
// memory by substring: it knows the characters as typed and gives plain text. They share no step.

const LONGEST_SNIPPET = 240
/** Long texts are searched whole, but a snippet is looked for where readers begin. */
const LONGEST_READ = 20_000
const MOST_MATCHED = 20

type Mark = { start: number; end: number; terms: string[] }

export type Shown = { matched: string[]; snippet: string }

/** The parts of a text that matched. A token counts by its parts, so `getUserById` matches user. */
function marksIn(text: string, terms: ReadonlySet<string>): Mark[] {
  return tokens(text)
    .map(({ start, end, terms: has }) => ({ start, end, terms: has.filter((term) => terms.has(term)) }))
    .filter((mark) => mark.terms.length > 0)
}

/** Where the window begins that shows the most different terms; the earliest of equals. */
function bestWindow(marks: readonly Mark[]): { from: number; distinct: number } {
  let best = { from: 0, distinct: 0 }
  marks.forEach((first, i) => {
    const seen = new Set<string>()
    for (let j = i; j < marks.length; j++) {
      const mark = marks[j] as Mark
      if (mark.end - first.start > LONGEST_SNIPPET) break
      for (const term of mark.terms) seen.add(term)
    }
    if (seen.size > best.distinct) best = { from: first.start, distinct: seen.size }
  })
  return best
}

const WORD_BREAK = /\s/

/** Begins a little before the first mark and at a word, so that the reader sees what it belongs to. */
function windowAround(text: string, from: number): { start: number; end: number } {
  const lead = 40
  let start = Math.max(0, from - lead)
  if (start > 0) {
    const space = text.slice(start, from).search(WORD_BREAK)
    start = space < 0 ? from : start + space + 1
  }
  let end = Math.min(text.length, start + LONGEST_SNIPPET)
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
  for (const mark of marks) {
    if (mark.end <= at || mark.end > end) continue
    const from = Math.max(mark.start, at)
    if (from < start) continue
    html += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, mark.end))}</mark>`
    at = mark.end
  }
  return (html + escapeHtml(text.slice(at, end)) + (end < text.length ? '…' : ''))
    .replaceAll('</mark><mark>', '')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Why a card came: its own words that matched, and the part of its texts that shows most of them, as HTML in which
 * nothing but the marks is markup.
 */
export function explain(title: string, texts: readonly string[], terms: ReadonlySet<string>): Shown {
  const read = texts.filter((text) => text !== '').map((text) => text.slice(0, LONGEST_READ))
  const parts = read.map((text) => {
    const marks = marksIn(text, terms)
    return { text, marks, ...bestWindow(marks) }
  })
  const inTitle = marksIn(title, terms)
  const matched = new Set<string>()
  for (const { text, marks } of [{ text: title, marks: inTitle }, ...parts])
    for (const mark of marks) matched.add(fold(text.slice(mark.start, mark.end)))
  const first = parts[0] ?? { text: '', marks: [], from: 0, distinct: 0 }
  const inTexts = parts.reduce((a, b) => (b.distinct > a.distinct ? b : a), first)
  // The title is shown beside the snippet, so it is quoted only where nothing else matched.
  const best = inTexts.distinct > 0 ? inTexts : { text: title, marks: inTitle, ...bestWindow(inTitle) }
  return {
    matched: [...matched].slice(0, MOST_MATCHED),
    snippet: render(best.text, best.marks, windowAround(best.text, best.from)),
  }
}
