import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Card = {
  id: string
  title: string
  symptom: string
  root_cause: string
  fix: string
  tags: string[]
  environment: Record<string, string>
}

export const KINDS = ['title', 'paraphrase', 'error', 'log', 'typo'] as const
export type Kind = (typeof KINDS)[number]

/** A query that exactly one card answers. */
export type Query = { id: string; kind: Kind; text: string; answer: string }
/** A query by hand, from which the others are made. */
export type WrittenQuery = Omit<Query, 'id'> & { kind: 'title' | 'paraphrase' | 'error' }
/** A query that no card answers. */
export type Unanswerable = { id: string; text: string }

export const FOLDER = import.meta.dirname

export const linesOf = <T>(name: string): T[] =>
  readFileSync(join(FOLDER, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

export const readCards = (): Card[] =>
  readdirSync(join(FOLDER, 'cards'))
    .sort()
    .flatMap((name) => linesOf<Card>(join('cards', name)))

export const readQueries = (): Query[] => linesOf('queries.jsonl')
export const readUnanswerable = (): Unanswerable[] => linesOf('no-answer.jsonl')

/** A card as one text, for engines without fields. */
export const textOf = ({ title, symptom, root_cause, fix, tags }: Card): string =>
  [title, symptom, root_cause, fix, tags.join(' ')].join('\n')
