import { containsInstructions } from '../review/find-danger.ts'
import type { CardRow } from './select.ts'

/** What of a card's row is looked at; hits of a search have it too. */
export type SpokenRow = Pick<
  CardRow,
  | 'card_id'
  | 'updated_at'
  | 'title'
  | 'symptom'
  | 'fix_summary'
  | 'root_cause'
  | 'steps'
  | 'tags'
  | 'environment'
  | 'body'
  | 'scope_notes'
  | 'cites'
> &
  Partial<Pick<CardRow, 'card_payload'>>

type Remembered = { updatedAt: string; length: number; speaks: boolean }

const MOST_REMEMBERED = 20_000

/**
 * Cards are read far more often than written, so the result is remembered. The key has the length, as rows may hold
 * only the beginning of a text.
 */
const remembered = new Map<string, Remembered>()

const ESCAPES: Record<string, string> = { n: '\n', '"': '"', '\\': '\\' }

/** Stored JSON with line ends and quotes in place of their escapes, as a reader sees it. */
const unescaped = (json: string): string =>
  json.includes('\\')
    ? json.replaceAll(/\\(["\\n])/g, (_, character: string) => ESCAPES[character] ?? '')
    : json

function textsOf(row: SpokenRow): string[] {
  const prose = [row.title, row.symptom, row.fix_summary, row.root_cause, row.body, row.scope_notes]
  const json = [row.steps, row.tags, row.environment, row.card_payload ?? '']
  return [...prose.map((text) => text ?? ''), ...json]
}

/** A name of a package has no blanks, so `_` and `-` are what stands between words. */
const citesSpeak = (cites: string): boolean => containsInstructions(unescaped(cites).replaceAll('_', ' '))

/** Whether a card speaks to the agent that reads it. Its cites are short, and change without its time of change. */
export const speaksToAgents = (row: SpokenRow): boolean =>
  textsSpeak(row) || (row.cites !== null && citesSpeak(row.cites))

function textsSpeak(row: SpokenRow): boolean {
  const texts = textsOf(row)
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  const known = remembered.get(row.card_id)
  if (known?.updatedAt === row.updated_at && known.length === length) return known.speaks
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  const speaks = containsInstructions(texts.map(unescaped).join('\n\n'))
  remembered.set(row.card_id, { updatedAt: row.updated_at, length, speaks })
  return speaks
}
