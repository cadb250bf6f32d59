import type { UserCtx } from '../../core/context.ts'
import type { Whose } from '../../core/provenance.ts'
import { fromJson } from '../../db/columns.ts'
import type { Database } from '../../db/db.ts'
import { Kept, numbersOf } from '../../search-index/index.ts'
import { type CardFields, cardFields, type Field, readWords } from '../../text/read-texts.ts'
import type { Step } from '../cards/content.ts'
import { evidenceTexts } from '../cards/evidence-texts.ts'
import { type HitRow, hitRows, type StateRow, type TextColumns } from './hit-rows.ts'
import type { Hit } from './retrieve.ts'
import type { SearchScope } from './scope.ts'

/** The texts of a card at one version, and what follows from them alone. */
export type CardTexts = {
  version: number
  columns: TextColumns
  tags: string[]
  environment: Record<string, string>
  read: CardFields
  /** How often it was a hit since this process read it. */
  met: number
}

/** A card that the viewer may find. */
export type HitCard = { row: HitRow & { whose: Whose }; texts: CardTexts }

type NumberedHit = Pick<Hit, 'docNo' | 'documentId'>

/** About what the texts of a card take, each character of them, and the same for the words that they are cut into. */
const BYTES = { texts: 1000, ofCharacter: 2, words: 500, ofCharacterInWords: 3 }

export const lengthOf = ({ read }: CardTexts): number =>
  read.fields.reduce((sum, { text }) => sum + text.length, 0)

function bytesOf(card: CardTexts): number {
  const length = lengthOf(card)
  const texts = BYTES.texts + BYTES.ofCharacter * length
  return card.read.words ? texts + BYTES.words + BYTES.ofCharacterInWords * length : texts
}

/** Cutting texts into words takes as long as marking words in them three times without it. */
const CUT_WHEN_MET = 4

const kept = new WeakMap<Database, Kept<CardTexts>>()

function keptTexts({ database, searchTuning }: UserCtx): Kept<CardTexts> {
  const known = kept.get(database) ?? new Kept(searchTuning.keptTextBytes, bytesOf)
  kept.set(database, known)
  return known
}

/**
 * The cards of these hits that the viewer may find in this scope, by the numbers of the hits. A card that has changed since
 * the index was read has another number, and is read as it is now.
 */
export async function hitCards(
  ctx: UserCtx,
  scope: SearchScope,
  hits: readonly NumberedHit[],
): Promise<Map<number, HitCard>> {
  const docNos = hits.map(({ docNo }) => docNo)
  const cards = await cardsByNumber(ctx, scope, docNos)
  const missing = hits.filter(({ docNo, documentId }) => documentId !== undefined && !cards.has(docNo))
  if (missing.length === 0) return cards
  const now = await numbersOf(
    ctx,
    missing.map(({ documentId }) => documentId as string),
  )
  const changed = missing.flatMap(({ docNo, documentId }) => {
    const number = now.get(documentId as string)
    return number === undefined || docNos.includes(number) ? [] : [{ docNo, number }]
  })
  if (changed.length === 0) return cards
  const read = await cardsByNumber(
    ctx,
    scope,
    changed.map(({ number }) => number),
  )
  for (const { docNo, number } of changed) {
    const card = read.get(number)
    if (card) cards.set(docNo, card)
  }
  return cards
}

/**
 * Whether a card may be found, and its state, is read each time. Texts that this process has read are taken from memory if the
 * card is still at that version.
 */
async function cardsByNumber(
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
      texts.met++
      if (texts.met === CUT_WHEN_MET) memory.grow(texts, ({ read }) => readWords(read))
      cards.set(row.doc_no, { row: withTexts(row, texts.columns, whoseIs(row, scope)), texts })
    }
  }
  for (const card of await readWhole(ctx, scope, unknown)) {
    cards.set(card.row.doc_no, card)
    // A transaction may see a version that is never committed.
    if (!ctx.transacting) memory.keep(card.row.doc_no, card.texts)
  }
  return cards
}

/** The viewer's own text, unless somebody else wrote the last version; otherwise by the scope. Pulled text is a stranger's. */
function whoseIs(row: StateRow, { viewerId, scope }: SearchScope): Whose {
  if (row.origin !== null) return 'public'
  if (row.owner_id !== viewerId) return scope === 'public' || row.is_in_team === 0 ? 'public' : 'team'
  return row.edited_by === viewerId ? 'you' : 'team'
}

/** Field by field: spreading a second object costs several times as much. */
const withTexts = (row: StateRow, columns: TextColumns, whose: Whose): HitCard['row'] => ({
  ...row,
  title: columns.title,
  symptom: columns.symptom,
  fix_summary: columns.fix_summary,
  root_cause: columns.root_cause,
  steps: columns.steps,
  body: columns.body,
  card_payload: columns.card_payload,
  scope_notes: columns.scope_notes,
  tags: columns.tags,
  environment: columns.environment,
  whose,
})

async function readWhole(ctx: UserCtx, scope: SearchScope, docNos: readonly number[]): Promise<HitCard[]> {
  if (docNos.length === 0) return []
  const rows = await hitRows(ctx, 'whole', scope, docNos)
  const evidence = await evidenceTexts(ctx.db, rows)
  return rows.map((row) => ({
    row: { ...row, whose: whoseIs(row, scope) },
    texts: textsOf(row, evidence.get(row.card_id) ?? []),
  }))
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
    met: 1,
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
