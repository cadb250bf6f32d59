import type { Analyst } from '../../core/pieces.ts'
import type { Work } from '../../core/work.ts'
import type { Span } from './rules/rule.ts'
import { scan, scanInPieces } from './scan.ts'

/** What was found, by kind and number. The values themselves are never kept, logged or returned. */
export type Finding = { kind: string; count: number }
export type Redacted = { text: string; findings: Finding[] }

/** Replaces every secret in the text by a placeholder of its kind, such as `<AWS_ACCESS_KEY>`. */
export function redact(text: string): Redacted {
  return replaceSpans(text, scan(text))
}

function replaceSpans(text: string, spans: readonly Span[]): Redacted {
  if (spans.length === 0) return { text, findings: [] }
  const parts: string[] = []
  let from = 0
  for (const span of spans) {
    parts.push(text.slice(from, span.start), `<${span.kind.toUpperCase()}>`)
    from = span.end
  }
  parts.push(text.slice(from))
  return { text: parts.join(''), findings: countByKind(spans) }
}

/** Which kinds of secret the text holds, and how many of each; the text stays as it is. */
export function findSecrets(text: string): Finding[] {
  return countByKind(scan(text))
}

/** `findSecrets` for long texts. */
export const findSecretsInPieces = async (work: Analyst, text: string): Promise<Finding[]> =>
  countByKind(await work.about('secrets', text, scanInPieces))

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g

/** For free text on its way into storage: no control characters but tab and newline, and no secrets. */
export function sanitise(text: string): Redacted {
  // The escape goes last: it tells the colours inside a secret from its letters.
  const { text: clean, findings } = redact(text.replace(CONTROL_CHARACTERS, ''))
  return { text: clean.replaceAll('\u001b', ''), findings }
}

/** `sanitise` for long texts. */
export async function sanitiseInPieces(work: Work, written: string): Promise<Redacted> {
  const shown = written.replace(CONTROL_CHARACTERS, '')
  const { text: clean, findings } = replaceSpans(shown, await work.inPieces(scanInPieces(shown)))
  return { text: clean.replaceAll('\u001b', ''), findings }
}

/** What `sanitise` leaves of a text without secrets. */
export const withoutControlCharacters = (text: string): string =>
  text.replace(CONTROL_CHARACTERS, '').replaceAll('\u001b', '')

function countByKind(spans: readonly { kind: string }[]): Finding[] {
  const counts = new Map<string, number>()
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => ({ kind, count }))
}
