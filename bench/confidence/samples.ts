import { contextFor, type Viewer } from '../../src/core/context.ts'
import { type Features, featuresOf, isMetByChance, weighQuery } from '../../src/features/search/confidence.ts'
import { codesAsked, isAboutAnotherCode } from '../../src/features/search/other-code.ts'
import { loadHits } from '../../src/features/search/results.ts'
import { type Hit, retrieve } from '../../src/features/search/retrieve.ts'
import { readQuery } from '../../src/text/query-words.ts'
import {
  type Collection,
  halved,
  type Query,
  sampleOf,
  titleOf,
  wrappedInNoise,
} from '../search/collections.ts'
import { loadCards } from '../search/load.ts'
import { withTypos } from '../search/typos.ts'
import { type Account, type BenchVault, register } from '../search/vault.ts'

/** Vaults of all sizes, because a word that is rare among ten cards may be common among five thousand. */
const SIZES = [
  { cards: 10, draws: 3 },
  { cards: 100, draws: 2 },
  { cards: 1000, draws: 1 },
]
const PRESENT = 100
const FOREIGN = 40
const DEPTH = 10

/** A collection. It may have questions close to its subject that none of its texts answers. */
export type AskedCollection = Collection & {
  subject?: string
  unanswerable?: readonly Query[]
}

/** The collection that the questions come from. */
export const NOBODY = 'nobody'

/** Collections about the same subject may answer each other's questions, so they are not foreign to each other. */
const isAlike = (a: AskedCollection, b: AskedCollection) => a.subject !== undefined && a.subject === b.subject

/** A collection, or a part of it, stored as the cards of one account. */
type Scope = { name: string; from: string; collection: Collection; account: Account }

/** What the search for one query has found. */
export type Asked = {
  scope: string
  from: string
  /** The collection that the query is of. */
  of: string
  size: number
  kind: string
  isForeign: boolean
  /** The features of the first ten hits, and whether they are met by chance. */
  hits: (Features & { isByChance: boolean })[]
  /** Which of them is the judged card. */
  judged: number
}

function partOf(collection: Collection, cards: number, draw: number): Collection {
  const judged = new Set([...collection.judgements.values()].flatMap((cards) => [...cards.keys()]))
  const shuffled = collection.texts
    .map((text, i) => ({ text, at: Math.imul(i + 1 + draw * 7919, 0x9e3779b1) >>> 0 }))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
  const half = Math.floor(cards / 2)
  const first = shuffled.filter(({ _id }) => judged.has(_id)).slice(0, half)
  const texts = [...first, ...shuffled.filter((text) => !first.includes(text)).slice(0, cards - first.length)]
  return { ...collection, name: `${collection.name}, ${cards} of it`, texts }
}

async function fill(vault: BenchVault, from: string, collection: Collection): Promise<Scope> {
  const account = await register(vault.app, `scope-${crypto.randomUUID()}`)
  const target = { ownerId: account.userId, workspaceId: account.workspaceId, status: 'unpublished' as const }
  const cards = collection.texts.map((text) => ({
    title: `${titleOf(text)}`,
    symptom: text.text,
    fix_summary: '',
    root_cause: '',
    tags: [],
    environment: { id: text._id },
  }))
  const names = new Map<string, string>()
  await loadCards(vault.app.services, cards, () => target, {
    onCard: (cardId, i) => names.set(cardId, collection.texts[i]?._id ?? ''),
  })
  namesOf.set(account.userId, names)
  return { name: collection.name, from, collection, account }
}

const namesOf = new Map<string, Map<string, string>>()

/** Asks every scope its own queries and those of the other collections. */
export async function collectSamples(
  vault: BenchVault,
  collections: readonly AskedCollection[],
): Promise<Asked[]> {
  const asked: Asked[] = []
  const halves = new Map(collections.map((one) => [one.name, halved(one, 4 * PRESENT)]))
  for (const collection of collections) {
    const scopes = [await fill(vault, collection.name, collection)]
    const half = halves.get(collection.name)
    if (half) scopes.push(await fill(vault, collection.name, half))
    for (const { cards, draws } of SIZES.filter(({ cards }) => cards < collection.texts.length))
      for (let draw = 0; draw < draws; draw++)
        scopes.push(await fill(vault, collection.name, partOf(collection, cards, draw)))
    for (const scope of scopes) {
      const has = new Set(scope.collection.texts.map(({ _id }) => _id))
      const own = scope.collection.queries.filter(({ _id }) =>
        [...(scope.collection.judgements.get(_id)?.keys() ?? [])].some((card) => has.has(card)),
      )
      for (const query of sampleOf(own, PRESENT)) asked.push(...(await askAll(vault, scope, query)))
      for (const query of collection.unanswerable ?? [])
        asked.push(await ask(vault, scope, query, 'clean', NOBODY))
      for (const other of collections) {
        if (other === collection || isAlike(collection, other)) continue
        const foreign = [
          ...sampleOf(other.queries, FOREIGN),
          ...sampleOf(halves.get(other.name)?.queries ?? [], FOREIGN / 3),
        ]
        for (const query of foreign) asked.push(...(await askAll(vault, scope, query, other.name)))
      }
      console.error(`${scope.name}: ${asked.length} asked`)
    }
  }
  return asked
}

const KINDS: Record<string, (text: string, seed: number) => string> = {
  clean: (text) => text,
  typos: withTypos,
  noise: wrappedInNoise,
}

async function askAll(vault: BenchVault, scope: Scope, query: Query, foreign?: string): Promise<Asked[]> {
  const found: Asked[] = []
  const seed = query._id.length + query.text.length
  // A third of the samples with typing errors and a third with noise are enough.
  const kinds = ['clean', ...(seed % 3 === 0 ? ['typos'] : []), ...(seed % 3 === 1 ? ['noise'] : [])]
  for (const kind of kinds) found.push(await ask(vault, scope, query, kind, foreign))
  return found
}

async function ask(
  vault: BenchVault,
  { name, from, account, collection }: Scope,
  query: Query,
  kind: string,
  foreign?: string,
): Promise<Asked> {
  const viewer: Viewer = {
    userId: account.userId,
    scopes: new Set(),
    isAdmin: false,
    credential: { kind: 'session', id: '' },
  }
  const ctx = { ...contextFor(vault.app.services), viewer }
  const text = KINDS[kind]?.(query.text, query._id.length + 7) ?? query.text
  const scope = {
    viewerId: account.userId,
    scope: 'personal' as const,
    workspaceIds: [],
    tags: [],
    environment: {},
    track: undefined,
  }
  const { hits, asked } = await retrieve(ctx, readQuery(text), scope)
  const first = hits.slice(0, DEPTH)
  const byNumber = new Map(first.map((hit) => [hit.docNo, hit]))
  const codes = codesAsked(text)
  const { loaded } = await loadHits(ctx, scope, asked, first, { phrases: [], isInTitle: false, codes })
  const right = collection.judgements.get(query._id)
  const names = namesOf.get(account.userId)
  const weighed = weighQuery(asked)
  return {
    scope: name,
    from,
    of: foreign ?? from,
    size: collection.texts.length,
    kind: name.includes('halved') || query.text.length > 300 ? `long ${kind}` : kind,
    isForeign: foreign !== undefined,
    hits: loaded.map(({ row, covers, texts }) => {
      const features = featuresOf(weighed, covers, byNumber.get(row.doc_no) as Hit)
      const isByChance = isMetByChance(covers, features) || isAboutAnotherCode(codes, texts.read)
      return { ...features, isByChance }
    }),
    judged: foreign ? -1 : loaded.findIndex(({ row }) => right?.has(names?.get(row.card_id) ?? '') === true),
  }
}
