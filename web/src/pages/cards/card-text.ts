import type { Card } from '../../api/types.ts'
import { CARD_TYPES } from './card-types.ts'

type Readable = Pick<
  Card,
  | 'title'
  | 'card_type'
  | 'symptom'
  | 'fix_summary'
  | 'root_cause'
  | 'steps'
  | 'environment'
  | 'tags'
  | 'body'
  | 'evidences'
>

/** The card as a Markdown document, for a pull request or a wiki. */
export function cardAsMarkdown(card: Readable): string {
  const words = CARD_TYPES[card.card_type]
  const parts = [
    `# ${card.title}`,
    `## ${words.symptom.label}`,
    card.symptom,
    `## ${words.fix.label}`,
    card.fix_summary,
  ]
  if (card.root_cause) parts.push('## Root cause', card.root_cause)
  if (card.steps.length) parts.push('## Steps', stepLines(card))
  if (card.body) parts.push('## Notes', card.body)
  for (const evidence of card.evidences ?? [])
    parts.push(`## Evidence: ${evidence.kind}`, fence(evidence.content))
  const environment = Object.entries(card.environment ?? {})
  if (environment.length)
    parts.push('## Environment', environment.map(([name, value]) => `- ${name}: ${value}`).join('\n'))
  if (card.tags.length) parts.push(`Tags: ${card.tags.join(', ')}`)
  return `${parts.join('\n\n')}\n`
}

/** The card as a message to an agent: what is known, and that it must be checked. */
export function cardAsPrompt(card: Readable): string {
  return [
    'Somebody solved a problem like ours before. Use the card below as a lead: check that its environment matches ours, verify each step, and say where it does not fit.',
    '<card>',
    cardAsMarkdown(card).trim(),
    '</card>',
  ].join('\n')
}

const stepLines = (card: Readable) =>
  card.steps
    .toSorted((a, b) => a.order - b.order)
    .map((step, index) => `${index + 1}. ${step.action}${step.result ? `\n   Result: ${step.result}` : ''}`)
    .join('\n')

/** A fence longer than any sequence of backticks inside, so that the text cannot end it. */
function fence(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), (row) => row[0].length))
  const marks = '`'.repeat(longest + 1)
  return `${marks}\n${text}\n${marks}`
}
