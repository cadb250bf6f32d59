import type { UserCtx } from '../../core/context.ts'
import { fromJson } from '../../db/columns.ts'
import type { Database } from '../../db/db.ts'
import { Kept } from '../../search-index/index.ts'
import { type CardFields, cardFields, type Field, readWords } from '../../text/read-texts.ts'
import type { Step } from '../cards/content.ts'
import { evidenceTexts } from '../cards/evidence-texts.ts'
import { type HitRow, hitRows, type StateRow, type TextColumns } from './hit-rows.ts'
import type { SearchScope } from './scope.ts'

/** The texts of a card at one version, and what follows from them alone. */
export type CardTexts = {
  version: number
  columns: TextColumns
  tags: string[]
  environment: Record<string, string>
  read: CardFields
}

/** A card that the viewer may find. */
export type HitCard = { row: HitRow; texts: CardTexts }

/** About what a card takes, and each character of it with the words that it is cut into. */
const CARD_BYTES = 2500
const CHARACTER_BYTES = 5

const bytesOf = ({ read }: CardTexts): number =>
  read.fields.reduce((sum, { text }) => sum + CHARACTER_BYTES * text.length, CARD_BYTES)

const kept = new WeakMap<Database, Kept<CardTexts>>()

function keptTexts({ database, searchTuning }: UserCtx): Kept<CardTexts> {
  const known = kept.get(database) ?? new Kept(searchTuning.keptTextBytes, bytesOf)
  kept.set(database, known)
  return known
}

/**
 * The cards with these numbers that the viewer may find in this scope. Whether a card may be found, and its state, is
 * read each time. Texts that this process has read are taken from memory if the card is still at that version.
 */
export async function hitCards(
  ctx: UserCtx,
  scope: SearchScope,
  docNos: readonly number[],
): Promise<Map<number, HitCard>> {
  const memory = keptTexts(ctx)
  const cards = new Map<number, HitCard>()
  const unknown = docNos.filter((docNo) => memory.get(docNo) === undefined)
  if (unknown.length < docNos.length) {
    const known = docNos.filter((docNo) => !unknown.includes(docNo))
    for (const row of await hitRows(ctx, 'state', scope, known)) {
      const texts = memory.get(row.doc_no)
      if (texts?.version !== row.version) {
        unknown.push(row.doc_no)
        continue
      }
      // A card that comes a second time is likely to come again.
      readWords(texts.read)
      cards.set(row.doc_no, { row: withTexts(row, texts.columns), texts })
    }
  }
  for (const card of await readWhole(ctx, scope, unknown)) {
    cards.set(card.row.doc_no, card)
    // A transaction may see a version that is never committed.
    if (!ctx.transacting) memory.keep(card.row.doc_no, card.texts)
  }
  return cards
}

const withTexts = (row: StateRow, columns: TextColumns): HitRow => ({ ...row, ...columns })

async function readWhole(ctx: UserCtx, scope: SearchScope, docNos: readonly number[]): Promise<HitCard[]> {
  if (docNos.length === 0) return []
  const rows = await hitRows(ctx, 'whole', scope, docNos)
  const evidence = await evidenceTexts(ctx.db, rows)
  return rows.map((row) => ({ row, texts: textsOf(row, evidence.get(row.card_id) ?? []) }))
}

function textsOf(row: HitRow, evidence: readonly string[]): CardTexts {
  const tags = fromJson<string[]>(row.tags)
  const environment = fromJson<Record<string, string>>(row.environment)
  const { title, symptom, fix_summary, root_cause, steps, body, card_payload, scope_notes } = row
  return {
    version: row.version,
    columns: {
      title,
      symptom,
      fix_summary,
      root_cause,
      steps,
      body,
      card_payload,
      scope_notes,
      tags: row.tags,
      environment: row.environment,
    },
    tags,
    environment,
    read: cardFields(title, fieldsOf(row, tags, environment, evidence)),
  }
}

function fieldsOf(
  row: HitRow,
  tags: readonly string[],
  environment: Readonly<Record<string, string>>,
  evidence: readonly string[],
): Field[] {
  const fields: Field[] = []
  const add = (where: string, text: string | null) => {
    if (text) fields.push({ where, text })
  }
  add('symptom', row.symptom)
  add('fix_summary', row.fix_summary)
  add('root_cause', row.root_cause)
  for (const { action, result } of fromJson<Step[]>(row.steps)) {
    add('steps', `${action ?? ''}`)
    add('steps', `${result ?? ''}`)
  }
  add('body', row.body)
  add('tags', tags.join(', '))
  add('environment', environmentText(environment))
  add('scope_notes', row.scope_notes)
  for (const text of evidence) fields.push({ where: 'evidence', text, isLog: true })
  return fields
}

const environmentText = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .map((entry) => entry.join(' '))
    .join(', ')
