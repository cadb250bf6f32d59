import type { Analyst } from '../../core/pieces.ts'
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import type { CardsTable, CardType } from '../../db/tables/cards.ts'
import { normalForm } from '../../text/normal-form.ts'
import { findSecretsInPieces } from '../redaction/redact.ts'
import { kindOfNumber } from '../redaction/stored.ts'
import type { FoundSecret } from './review-rules.ts'

export type Step = { order: number; action: string; result: string; [key: string]: unknown }

/** What an update can change and a version keeps. Evidence is apart: it is only ever added to. */
export type CardContent = {
  card_type: CardType
  title: string
  symptom: string
  fix_summary: string
  environment: Record<string, string>
  root_cause: string | null
  steps: Step[]
  tags: string[]
  card_payload: Record<string, unknown> | null
  body: string | null
  scope_notes: string | null
}

type ContentColumns = Pick<CardsTable, keyof CardContent | 'filter_text'>

export const contentOf = (row: Pick<CardsTable, keyof CardContent>): CardContent => ({
  card_type: row.card_type,
  title: row.title,
  symptom: row.symptom,
  fix_summary: row.fix_summary,
  environment: fromJson(row.environment),
  root_cause: row.root_cause,
  steps: fromJson(row.steps),
  tags: fromJson(row.tags),
  card_payload: fromJsonOrNull(row.card_payload),
  body: row.body,
  scope_notes: row.scope_notes,
})

/** A list filters by the beginning of each text, which is what it shows. Search looks through whole texts. */
const FILTERED_CHARACTERS = 1000

export const foldForFilter = (text: string): string => normalForm(text, 'NFKC').toLowerCase()

export const columnsOf = (content: CardContent): ContentColumns => ({
  ...content,
  environment: toJson(content.environment),
  steps: toJson(content.steps),
  tags: toJson(content.tags),
  card_payload: toJsonOrNull(content.card_payload),
  filter_text: filterTextOf(content),
})

/** `unread` is text whose words are not in the search index. */
export const filterTextOf = (
  {
    title,
    tags,
    symptom,
    fix_summary,
  }: Pick<CardContent, 'title' | 'symptom' | 'fix_summary'> & {
    tags: readonly string[]
  },
  unread = '',
): string =>
  foldForFilter(
    [
      title,
      tags.join(' '),
      symptom.slice(0, FILTERED_CHARACTERS),
      fix_summary.slice(0, FILTERED_CHARACTERS),
      ...(unread === '' ? [] : [unread]),
    ].join('\n'),
  )

const FIELDS = [
  'card_type',
  'title',
  'symptom',
  'fix_summary',
  'environment',
  'root_cause',
  'steps',
  'tags',
  'card_payload',
  'body',
  'scope_notes',
] as const satisfies readonly (keyof CardContent)[]

export const changedFields = (before: CardContent, after: CardContent): (keyof CardContent)[] =>
  FIELDS.filter((field) => toJson(before[field]) !== toJson(after[field]))

/**
 * Every text in a JSON value, on a line with its key, since `password: …` is recognised by its name. A key is text
 * too, whatever stands under it.
 */
function textsIn(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item, name)])
  if (key === '') return typeof value === 'string' ? [value] : []
  return [`${key}: ${value}`]
}

/** The kinds of the secrets that are numbers: only their names tell them. */
function numbersIn(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => numbersIn(item, key))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => numbersIn(item, name))
  const kind = kindOfNumber(key, value)
  return kind === undefined ? [] : [kind]
}

async function secretsIn(work: Analyst, field: string, value: unknown): Promise<FoundSecret[]> {
  const found = await findSecretsInPieces(work, textsIn(value).join('\n\n'))
  const kinds = new Set([...found.map(({ kind }) => kind), ...numbersIn(value)])
  return [...kinds].map((kind) => ({ field, kind }))
}

type Citing = { cites: string | null; cites_are_written: number }

/** Cites that somebody wrote. Those that are read from a card say nothing that its texts do not say. */
export const writtenCites = (row: Citing): string[] =>
  row.cites_are_written === 1 ? fromJson(row.cites ?? '[]') : []

export const secretsInCites = (work: Analyst, cites: readonly string[]): Promise<FoundSecret[]> =>
  secretsIn(work, 'cites', cites)

export async function secretsInContent(work: Analyst, content: CardContent): Promise<FoundSecret[]> {
  const found: FoundSecret[] = []
  for (const field of FIELDS) found.push(...(await secretsIn(work, field, content[field])))
  return found
}

/** The secrets of each piece of evidence. */
export async function secretsInEvidences(
  work: Analyst,
  evidences: readonly { kind: string; content?: unknown; meta?: unknown }[],
  present = 0,
): Promise<FoundSecret[][]> {
  const found: FoundSecret[][] = []
  for (const [i, { kind, content, meta }] of evidences.entries())
    found.push(await secretsIn(work, `evidences.${present + i}`, [kind, content, meta]))
  return found
}

export const warningsFor = (secrets: readonly FoundSecret[]) =>
  secrets.map(({ field, kind }) => ({
    code: 'possible_secret' as const,
    field,
    kind,
    message: `${field} looks like it contains a secret (${kind}). The card cannot be shared or published like this.`,
  }))
