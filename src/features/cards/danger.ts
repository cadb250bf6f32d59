import type { Analyst } from '../../core/pieces.ts'
import { type DangerPolicy, dangerAcross, dangerIn } from '../review/policy.ts'
import type { Finding } from '../review/rule.ts'
import { DANGER_WORDS } from '../review/words.ts'
import type { CardContent } from './content.ts'
import type { ReviewReason } from './review-rules.ts'

export type FoundDanger = Finding & { field: string }

type Piece = { field: string; text: string }

/** Every text of a value with its path, such as `steps.0.action`; names are text too. */
function piecesOf(field: string, value: unknown): Piece[] {
  if (typeof value === 'string') return [{ field, text: value }]
  if (Array.isArray(value)) return value.flatMap((item, i) => piecesOf(`${field}.${i}`, item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [
    { field, text: name },
    ...piecesOf(`${field}.${name.slice(0, LONGEST_NAME)}`, item),
  ])
}

/** Every text of a value, names too, in one. */
export const allTextOf = (value: unknown): string =>
  piecesOf('', value)
    .map(({ text }) => text)
    .join('\n\n')

/** Fields that a reader reads one after the other: a sentence may be split over them. */
const PROSE = ['title', 'symptom', 'fix_summary', 'root_cause', 'body', 'scope_notes'] as const

const LONGEST_NAME = 60
/** Enough to work on. The rest shows when these are gone. */
const MOST_FINDINGS = 20
const ORDER = { block: 0, warn: 1, note: 2 } as const

/** `meta` is not the JSON that is stored, whose escapes would hide what stands behind the end of a line. */
type Evidence = { kind: string; content: string; meta?: object | null }

export async function dangerInCard(
  work: Analyst,
  content: CardContent & { cites?: readonly string[] },
  evidences: readonly Evidence[],
  policy: DangerPolicy,
): Promise<FoundDanger[]> {
  const pieces = [
    ...Object.entries(content).flatMap(([field, value]) => piecesOf(field, value)),
    ...evidences.flatMap(({ kind, content, meta }, i) => piecesOf(`evidences.${i}`, { kind, content, meta })),
  ]
  const found: FoundDanger[] = []
  for (const { field, text } of pieces)
    for (const finding of await dangerIn(work, text, policy)) found.push({ ...finding, field })
  const prose = PROSE.map((field) => ({ field, text: content[field] ?? '' })).filter(
    ({ text }) => text !== '',
  )
  const texts = prose.map(({ text }) => text)
  for (const finding of await dangerAcross(work, texts, policy))
    found.push({ ...finding, field: prose[finding.field]?.field ?? '' })
  return found.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity]).slice(0, MOST_FINDINGS)
}

/** A finding as the review reports it. It does not quote the text: an agent that reads the answer would read the attack. */
export const dangerReason = ({ rule, severity, field, start, end }: FoundDanger): ReviewReason => {
  const { why, safer } = DANGER_WORDS[rule]
  return { rule, severity, field, start, end, safer, message: `${field}: ${why} ${safer}` }
}
