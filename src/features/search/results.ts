import type { Expression, Selectable, SqlBool } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { UserCtx } from '../../core/context.ts'
import { type Whose, withMark } from '../../core/untrusted-text.ts'
import { fromJson } from '../../db/columns.ts'
import type { Database, Db } from '../../db/db.ts'
import type { CardsTable } from '../../db/knowledge-schema.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { inNumbers, isAmong, numberList } from '../../db/sql-values.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { numbersOf } from '../../search-index/index.ts'
import {
  type ContentColumns,
  EXPLAINING_FIELDS,
  isJson,
  type JsonField,
  passesFilters,
  pick,
  type Step,
  WORD_COLUMNS,
  WRITTEN_COLUMNS,
  WRITTEN_FIELDS,
  type WrittenField,
} from '../../shared/card-fields.ts'
import { fitsOf } from '../../shared/cites.ts'
import {
  type Cover,
  confidenceOf,
  logitByCovers,
  logitOfChance,
  neighbourLogit,
  STEM_CREDIT,
  weighQuery,
} from '../../text/query.ts'
import {
  beginningTest,
  type CardFields,
  cardFields,
  explain,
  type Field,
  type Marked,
  markTexts,
  type NamedTexts,
  namedTexts,
  nameTest,
  phraseTest,
  readWords,
  type Shown,
  type WantedTerms,
  wantTerms,
} from '../../text/snippet.ts'
import { beginningOf } from '../../text/unicode.ts'
import {
  evidenceTexts,
  feedbackOf,
  type HomeFacts,
  isCurrent,
  isInTeamOf,
  isLikelyOutdated,
  isListed,
  matchesEnvironment,
  presentHome,
  presentTrust,
  provenanceOf,
  type StoredTrust,
  sameTag,
  storedTrust,
  teamOf,
  trackOf,
  trustSeenBy,
  type ViewerId,
  withNames,
} from '../cards/index.ts'
import { type AskedCodes, isAboutAnotherCode } from './query.ts'
import type { QueryTerm, SearchHit, SearchScope } from './retrieve.ts'
import type { SearchResultAnswer } from './schemas.ts'

const STATE_COLUMNS = [
  'cards.card_id',
  'cards.version',
  'cards.owner_id',
  'cards.workspace_id',
  'cards.origin_workspace_id',
  ...WORD_COLUMNS,
  'cards.status',
  'cards.evidence_count',
  'cards.feedback_useful',
  'cards.feedback_not_applicable',
  'cards.feedback_outdated',
  'cards.seen_since',
  'cards.cites',
  'cards.superseded_by',
  'cards.successor_gone',
  'cards.review_status',
  'cards.review_reasons',
  'cards.created_at',
  'cards.updated_at',
  'cards.edited_by',
  'cards.origin',
  'cards.deleted_at',
  'cards.hidden_at',
] as const

const COLUMNS = { state: STATE_COLUMNS, whole: [...STATE_COLUMNS, ...WRITTEN_COLUMNS] }

type Extent = keyof typeof COLUMNS

type Shape = Pick<SearchScope, 'scope' | 'workspaceIds' | 'includeSuperseded'>

/** Picks rows by number first: a plan that begins with the permission reads all cards of an owner. */
const rowsQuery = (db: Db, extent: Extent, shape: Shape, viewerId: ViewerId, isPicked: Expression<SqlBool>) =>
  db
    .with(
      (cte) => cte('picked').materialized(),
      (db) =>
        db
          .selectFrom('search_docs')
          .innerJoin('cards', 'cards.card_id', 'search_docs.card_id')
          .select(COLUMNS[extent])
          .select(['search_docs.doc_no', trustSeenBy(viewerId).as('trust')])
          .where(isPicked),
    )
    .selectFrom('picked as cards')
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .selectAll('cards')
    .select('users.display_name as owner_name')
    .select(teamOf(viewerId).as('team_id'))
    .select((eb) => eb.case().when(isInTeamOf(viewerId)).then(1).else(0).end().as('is_in_team'))
    .where(isListed(db, viewerId, shape.scope, shape.workspaceIds))
    .$if(!shape.includeSuperseded, (query) => query.where(isCurrent()))

type NamesIn<C extends readonly string[]> = C[number] extends `cards.${infer Name}`
  ? Name & keyof CardsTable
  : never

/** Written out, because the type of the query has all columns of a card. */
type StateRow = Pick<Selectable<CardsTable>, NamesIn<typeof STATE_COLUMNS> | 'trust'> & {
  doc_no: number
  owner_name: string
  /** Of a workspace of the viewer, or the viewer's own. */
  is_in_team: number
  team_id: string | null
}
type TextColumns = Pick<ContentColumns, WrittenField>
type HitRow = StateRow & TextColumns

type Rows = { state: StateRow; whole: HitRow }
type Ready = (db: Db, values: { viewerId: string; numbers: string }) => Promise<HitRow[]>

const ready = new Map<string, Ready>()

/** Caches the compiled query: compiling costs as much as executing it. */
function readyFor(extent: Extent, shape: Shape): Ready {
  const key = `${extent} ${shape.scope} ${shape.includeSuperseded}`
  const known = ready.get(key)
  if (known) return known
  const made = prepared('hitRows', (db, parameter: Named<{ viewerId: string; numbers: string }>) =>
    rowsQuery(
      db,
      extent,
      shape,
      parameter('viewerId'),
      isAmong(db, 'search_docs.doc_no', parameter('numbers')),
    ),
  )
  ready.set(key, made)
  return made
}

const hitRows = <E extends Extent>(
  ctx: UserCtx,
  extent: E,
  scope: SearchScope,
  docNos: readonly number[],
): Promise<Rows[E][]> =>
  scope.workspaceIds.length === 0
    ? readyFor(extent, scope)(ctx.db, { viewerId: scope.viewerId, numbers: numberList(ctx.db, docNos) })
    : rowsQuery(
        ctx.db,
        extent,
        scope,
        scope.viewerId,
        inNumbers(ctx.db, 'search_docs.doc_no', docNos),
      ).execute()

type CardTexts = {
  version: number
  columns: TextColumns
  tags: string[]
  environment: Record<string, string>
  read: CardFields
  met: number
}

type HitCard = { row: HitRow & { whose: Whose }; texts: CardTexts }

type NumberedHit = Pick<SearchHit, 'docNo' | 'documentId'>

/** About the size in bytes of cached texts and of the words cut from them. */
const BYTES = { texts: 1000, ofCharacter: 2, words: 500, ofCharacterInWords: 3 }

const lengthOf = ({ read }: CardTexts): number => read.fields.reduce((sum, { text }) => sum + text.length, 0)

function bytesOf(card: CardTexts): number {
  const length = lengthOf(card)
  const texts = BYTES.texts + BYTES.ofCharacter * length
  return card.read.words ? texts + BYTES.words + BYTES.ofCharacterInWords * length : texts
}

/** Texts are cut into words only after this many hits, because cutting is slow. */
const CUT_WHEN_MET = 4

const kept = new WeakMap<Database, LRUCache<number, CardTexts>>()

function keptTexts({ database, searchTuning }: UserCtx): LRUCache<number, CardTexts> {
  const known =
    kept.get(database) ?? new LRUCache({ maxSize: searchTuning.keptTextBytes, sizeCalculation: bytesOf })
  kept.set(database, known)
  return known
}

async function hitCards(
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
      if (texts.met === CUT_WHEN_MET) {
        readWords(texts.read)
        // Deleted first: a value set again keeps the size that it had.
        memory.delete(row.doc_no)
        memory.set(row.doc_no, texts)
      }
      cards.set(row.doc_no, { row: withTexts(row, texts.columns, whoseIs(row, scope)), texts })
    }
  }
  for (const card of await readWhole(ctx, scope, unknown)) {
    cards.set(card.row.doc_no, card)
    // A transaction may see a version that is never committed, so its texts are not cached.
    if (!ctx.transacting) memory.set(card.row.doc_no, card.texts)
  }
  return cards
}

/** Pulled text counts as a stranger's. */
function whoseIs(row: StateRow, { viewerId }: SearchScope): Whose {
  if (row.origin !== null) return 'public'
  if (row.owner_id !== viewerId) return row.is_in_team === 0 ? 'public' : 'team'
  return row.edited_by === viewerId ? 'you' : 'team'
}

const withTexts = (row: StateRow, columns: TextColumns, whose: Whose): HitCard['row'] => ({
  ...row,
  ...columns,
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
  return {
    version: row.version,
    columns: pick(row, WRITTEN_FIELDS),
    tags,
    environment,
    met: 1,
    read: cardFields(row.title, fieldsOf(row, evidence)),
  }
}

/** Returns the texts in each field of JSON, as they are shown. */
const TEXTS_IN_JSON: Record<JsonField, (json: string) => string[]> = {
  environment: (json) => [environmentText(fromJson(json))],
  steps: (json) =>
    fromJson<Step[]>(json).flatMap(({ action, result }) => [`${action ?? ''}`, `${result ?? ''}`]),
  tags: (json) => [fromJson<string[]>(json).join(', ')],
  card_payload: () => [],
}

function fieldsOf(row: HitRow, evidence: readonly string[]): Field[] {
  const written = EXPLAINING_FIELDS.flatMap((where) => {
    const stored = row[where] ?? ''
    const texts = isJson(where) ? TEXTS_IN_JSON[where](stored) : [stored]
    return texts.map((text) => ({ where, text }))
  })
  return [...written, ...evidence.map((text) => ({ where: 'evidence', text, isLog: true }))]
}

const environmentText = (environment: Readonly<Record<string, string>>): string =>
  Object.entries(environment)
    .map((entry) => entry.join(' '))
    .join(', ')

export type FoundCard = HitCard & {
  marked: Marked
  confidence: number
  logit: number
  /** How sure the card is to be meant, and not a neighbour. */
  ownCard: number
  trust: StoredTrust | null
  covers: Cover[]
  /** How many of the preferred phrases the card has. */
  preferred: number
}

export type Demands = {
  phrases: readonly string[]
  preferred: readonly string[]
  isInTitle: boolean
  codes: AskedCodes
  /** A missing telling word makes a hit unsure. Recall compares names by itself. */
  hasTelling: boolean
}

const isEmpty = (asked: SearchScope['environment']): boolean => {
  for (const _ in asked) return false
  return true
}

/** Compares the names themselves, because the index compares only hashes. */
const passes = ({ row, texts }: HitCard, { tags, environment, filters, type }: SearchScope): boolean =>
  tags.every((tag) => texts.tags.some((other) => sameTag(tag, other))) &&
  (isEmpty(environment) || matchesEnvironment(texts.environment, environment)) &&
  passesFilters(row, filters) &&
  (type === undefined || row.card_type === type)

export async function loadHits(
  ctx: UserCtx,
  scope: SearchScope,
  asked: readonly QueryTerm[],
  hits: readonly SearchHit[],
  demands: Demands,
): Promise<{ loaded: FoundCard[]; characters: number }> {
  const cards = await hitCards(ctx, scope, hits)
  const phrases = demands.phrases.map(phraseTest)
  const wishes = demands.preferred.map(phraseTest)
  const readHit = hitReader(asked, demands)
  const loaded = hits.flatMap((hit) => {
    const card = cards.get(hit.docNo)
    if (!card || !passes(card, scope)) return []
    const { row, texts } = card
    const read = demands.isInTitle ? titleOf(texts.read) : texts.read
    if (!phrases.every((isIn) => read.fields.some(({ text }) => isIn(text)))) return []
    const matched = readHit(read, hit, isAboutAnotherCode(demands.codes, texts.read))
    if (!matched) return []
    const preferred = wishes.filter((isIn) => read.fields.some(({ text }) => isIn(text))).length
    return [{ row, texts, trust: storedTrust(row), preferred, ...matched }]
  })
  let characters = 0
  for (const { texts } of cards.values()) characters += lengthOf(texts)
  return { loaded, characters }
}

const titleOf = (read: CardFields): CardFields => ({ ...read, fields: read.fields.slice(0, 1) })

function hitReader(asked: readonly QueryTerm[], { hasTelling }: Demands) {
  const query = weighQuery(asked)
  const termsFor = termsByCovers(asked)
  const spokenTests = asked.map(({ spoken, parts }) => (parts.length > 0 ? nameTest(spoken) : undefined))
  return (read: CardFields, hit: SearchHit, isByChance: boolean) => {
    const named = namedTexts(read.fields.map(({ text }) => text))
    const known = hit.covers?.map((cover, i) => (isSpokenFor(cover, spokenTests[i], named) ? cover : NOTHING))
    const marked = markTexts(read, termsFor(known))
    if (marked.forms.size === 0 && !hit.isNear) return undefined
    const covers = asked.map((word, i) => coverInTexts(word, known?.[i], marked.forms, named))
    const byCovers = hit.covers ? logitByCovers(query, covers, hit) : Number.NEGATIVE_INFINITY
    const ownCard = hasTelling ? neighbourLogit(query, covers, hit) : Number.POSITIVE_INFINITY
    const logit = isByChance ? logitOfChance(byCovers) : byCovers
    return { marked, covers, logit, ownCard, confidence: confidenceOf(logit) }
  }
}

const NOTHING: Cover = { credit: 0, isProminent: false, isCorrected: false, isByParts: false }

/** Without the whole name, the parts count only if adjacent or inside a longer name. */
const isSpokenFor = (
  { isByParts }: Cover,
  isIn: ((named: NamedTexts) => boolean) | undefined,
  named: NamedTexts,
): boolean => !(isByParts && isIn) || isIn(named)

function termsByCovers(asked: readonly QueryTerm[]): (covers: readonly Cover[] | undefined) => WantedTerms {
  const made = new Map<string, WantedTerms>()
  return (covers) => {
    const words = covers ? covers.map(({ credit }) => (credit === 0 ? '-' : '+')).join('') : ''
    const known = made.get(words) ?? wantTerms(termsOf(asked, covers))
    made.set(words, known)
    return known
  }
}

function termsOf(asked: readonly QueryTerm[], covers: readonly Cover[] | undefined): Set<string> {
  return new Set(
    asked.flatMap(({ term, parts, otherTerms = [], related, meant }, i) => {
      const cover = covers?.[i]
      if (cover?.credit === 0) return related
      return [term, ...otherTerms, ...(cover ? parts : []), ...meant.map(({ word }) => word)]
    }),
  )
}

/** Only the texts show whether a card has a word as typed. */
function coverInTexts(
  { term, typed, parts, otherTerms = [], meant }: QueryTerm,
  cover: Cover | undefined,
  forms: Marked['forms'],
  named: NamedTexts,
): Cover {
  if (!cover || cover.credit === 0) return NOTHING
  if (cover.isCorrected) {
    const like = meant.find(({ word }) => forms.has(word))
    if (like?.otherwise === undefined) return like ? cover : NOTHING
    return beginningTest(typed)(named)
      ? cover
      : { ...cover, credit: (cover.credit * like.otherwise) / like.likeness }
  }
  const isIn = (name: string) => forms.has(name)
  if (!isIn(term) && !parts.some(isIn) && !otherTerms.some(isIn)) return NOTHING
  const isTyped = parts.length + otherTerms.length > 0 || forms.get(term)?.has(typed) === true
  return isTyped ? cover : { ...cover, credit: cover.credit * STEM_CREDIT }
}

/** Returns corrected query words with the words of the cards: `{kubernets: kubernetes}`. */
export function correctionsIn(
  asked: readonly QueryTerm[],
  hits: readonly FoundCard[],
): Record<string, string> {
  const found: Record<string, string> = {}
  asked.forEach(({ typed, meant }, i) => {
    for (const { covers, marked } of hits) {
      if (!covers[i]?.isCorrected) continue
      const form = meant.flatMap(({ word }) => [...(marked.forms.get(word) ?? [])])[0]
      if (form !== undefined) {
        found[typed] = form
        return
      }
    }
  })
  return found
}

const SHOWN_CHARACTERS = 1000

type Showing = {
  isWeak: boolean
  myEnvironment: Record<string, string> | undefined
  now: Date
}

const fittingOf = ({ row, texts, trust }: FoundCard) => ({
  cites: fromJson<string[]>(row.cites ?? '[]'),
  environment: texts.environment,
  verdicts: trust?.environments ?? [],
})

/** A snippet may come from evidence, which is not part of the card's row. */
function provenanceWith(row: FoundCard['row'], { snippet, isLog }: Shown) {
  const provenance = provenanceOf(row)
  return isLog && row.whose !== 'you' && containsInstructions(snippet) ? withMark(provenance) : provenance
}

export const presentHit = (
  hit: FoundCard & { homeFacts: HomeFacts; score: number },
  hitReason: SearchResultAnswer['hit_reason'],
  { isWeak, myEnvironment, now }: Showing,
): SearchResultAnswer => {
  const { row, texts, homeFacts, score, marked } = hit
  const shown = explain(marked, row.fix_summary)
  const home = presentHome({
    ...homeFacts,
    workspace_id: row.workspace_id,
    team_id: row.team_id,
    status: row.status,
    review_status: row.review_status,
    hidden_at: row.hidden_at,
  })
  return {
    card_id: row.card_id,
    case_id: row.card_id,
    title: row.title,
    card_type: row.card_type,
    track: trackOf(row.card_type),
    symptom: beginningOf(row.symptom, SHOWN_CHARACTERS),
    fix_summary: beginningOf(row.fix_summary, SHOWN_CHARACTERS),
    tags: texts.tags,
    environment: texts.environment,
    status: row.status,
    workspace_id: row.workspace_id,
    ...home,
    owner_name: row.owner_name,
    provenance: withNames(provenanceWith(row, shown), row, home),
    score,
    weak: isWeak,
    matched_terms: shown.matched,
    why: shown.why,
    snippet: shown.snippet,
    hit_reason: hitReason,
    feedback: feedbackOf(row),
    trust: presentTrust(row, now),
    ...(myEnvironment ? { fits: fitsOf(fittingOf(hit), myEnvironment) } : {}),
    likely_outdated: isLikelyOutdated(row),
    updated_at: row.updated_at,
  }
}
