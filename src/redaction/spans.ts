import { isDigit, isLetter, isPlainlyRandom } from './placeholders.ts'
import { RANK, type Span } from './rule.ts'

/** Each value costs a pass over the text, so only the first are looked for again. A short one may be a word. */
const MAX_REPEATED_VALUES = 12
const MIN_REPEATED_LENGTH = 14
const MAX_REPEATED_LENGTH = 200
const MAX_PLACES = 100

/** Adds the other places of a secret: what is one beside its name is one everywhere in the text. */
export function withRepetitions(text: string, spans: Span[]): Span[] {
  const values = new Map<string, Span>()
  for (const span of spans) {
    if (values.size >= MAX_REPEATED_VALUES) break
    if (span.rank >= RANK.token || span.end - span.start > MAX_REPEATED_LENGTH) continue
    const value = text.slice(span.start, span.end)
    if (value.length >= MIN_REPEATED_LENGTH && isPlainlyRandom(value)) values.set(value, span)
  }
  const more: Span[] = []
  for (const [value, { kind, rank }] of values) {
    let places = 0
    for (
      let at = text.indexOf(value);
      at !== -1 && places < MAX_PLACES;
      at = text.indexOf(value, at + value.length)
    ) {
      const end = at + value.length
      if (isInWord(text, at - 1) || isInWord(text, end)) continue
      places += 1
      more.push({ start: at, end, kind, rank })
    }
  }
  return more.length > values.size ? withoutOverlaps([...spans, ...more]) : spans
}

/** Joins findings that overlap. The one with the higher rank gives the kind. */
export function withoutOverlaps(found: Span[]): Span[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: Span[] = []
  for (const span of found) {
    const last = kept.at(-1)
    if (last === undefined || span.start >= last.end) {
      kept.push({ ...span })
      continue
    }
    if (span.rank > last.rank) {
      last.kind = span.kind
      last.rank = span.rank
    }
    last.end = Math.max(last.end, span.end)
  }
  return kept
}

function isInWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return isLetter(code) || isDigit(code)
}
