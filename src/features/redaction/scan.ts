import { assignedSecret, valueStart } from './assignments.ts'
import { buildAutomaton } from './automaton.ts'
import { blockFinder } from './blocks.ts'
import { basicCredentials, bearerToken, sessionCookies } from './headers.ts'
import { isPlaceholder, isSampleToken } from './placeholders.ts'
import { type NamedRule, rank, type Span, type TokenRule } from './rule.ts'
import { allRules } from './rules/all.ts'
import { secretNames } from './rules/names.ts'
import { urlPassword } from './urls.ts'

/** What a keyword in the text sets off: a try at that place, never a pass over the whole. */
type Scan = { text: string; add(span: Span | undefined): void; block: ReturnType<typeof blockFinder> }
type Trigger = (scan: Scan, end: number) => void

const triggers = new Map<string, Trigger[]>()

function on(keyword: string, trigger: Trigger): void {
  const key = keyword.toLowerCase()
  const present = triggers.get(key)
  if (present) present.push(trigger)
  else triggers.set(key, [trigger])
}

for (const rule of allRules) {
  if (rule.form === 'token')
    for (const prefix of rule.prefixes)
      on(prefix, (scan, end) => scan.add(findToken(scan.text, end, prefix, rule)))
  else for (const name of rule.names) on(name, (scan, end) => scan.add(findNamed(scan.text, end, rule)))
}
for (const { kind, names } of secretNames) {
  for (const name of names) on(name, (scan, end) => scan.add(findAssigned(scan.text, end, kind)))
}
on('-----begin ', (scan, end) => scan.add(scan.block(end)))
on('://', (scan, end) => scan.add(urlPassword(scan.text, end)))
on('bearer', (scan, end) => scan.add(bearerToken(scan.text, end)))
on('basic', (scan, end) => scan.add(basicCredentials(scan.text, end)))
on('cookie:', (scan, end) => {
  for (const span of sessionCookies(scan.text, end)) scan.add(span)
})

const keywords = [...triggers.keys()]
const byKeyword = [...triggers.values()]
const automaton = buildAutomaton(keywords)

/** Every secret in the text, in order, without overlaps. */
export function scan(text: string): Span[] {
  const found: Span[] = []
  // A find ends the search inside itself: what a secret contains is not looked at again.
  let doneUntil = 0
  const state: Scan = {
    text,
    block: blockFinder(text),
    add: (span) => {
      if (!span) return
      found.push(span)
      if (span.rank === rank.block) doneUntil = Math.max(doneUntil, span.end)
    },
  }
  automaton.scan(text, (keyword, end) => {
    if (end <= doneUntil) return
    for (const trigger of byKeyword[keyword] ?? []) trigger(state, end)
  })
  return withoutOverlaps(found)
}

function findToken(text: string, end: number, prefix: string, rule: TokenRule): Span | undefined {
  const start = end - prefix.length
  if (!text.startsWith(prefix, start) || !startsWord(text, start)) return undefined
  rule.tail.lastIndex = end
  const tail = rule.tail.exec(text)?.[0]
  if (tail === undefined || isSampleToken(tail)) return undefined
  // Of two rules for one place the one with the longer prefix knows better.
  return { start, end: end + tail.length, kind: rule.kind, rank: rank.token + prefix.length / 100 }
}

/** The start of a word, or what follows an escape such as `\n` or `%3D`. */
function startsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordCharacter(text.charCodeAt(at - 1))) return true
  return text[at - 2] === '\\' || text[at - 3] === '%'
}

function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

function findNamed(text: string, end: number, rule: NamedRule): Span | undefined {
  const start = valueStart(text, end)
  if (start === -1) return undefined
  rule.value.lastIndex = start
  const value = rule.value.exec(text)?.[0]
  if (value === undefined || isPlaceholder(value)) return undefined
  return { start, end: start + value.length, kind: rule.kind, rank: rank.named }
}

function findAssigned(text: string, end: number, kind: string): Span | undefined {
  const start = valueStart(text, end)
  return start === -1 ? undefined : assignedSecret(text, start, kind)
}

/** Joins overlapping finds into one, named by the surest of them. */
function withoutOverlaps(found: Span[]): Span[] {
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
