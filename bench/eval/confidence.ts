import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { contextFor, type Viewer } from '../../src/core/context.ts'
import { NO_DEMANDS } from '../../src/features/search/hits.ts'
import { codesAsked, isAboutAnotherCode } from '../../src/features/search/query.ts'
import { loadHits } from '../../src/features/search/results.ts'
import { retrieve, type SearchHit } from '../../src/features/search/retrieve.ts'
import {
  besideBest,
  COEFFICIENTS,
  CONSTANT,
  confidenceOf,
  type Features,
  FIRST_HITS,
  FLOOR,
  featuresOf,
  isMetByChance,
  lacksTelling,
  logitAmongAlike,
  logitOfChance,
  readQuery,
  weighQuery,
} from '../../src/text/query.ts'
import {
  areaUnderCurve,
  type Collection,
  cardOf,
  halved,
  percent,
  type Query,
  readCollection,
  sampleOf,
} from '../lib/collections.ts'
import { fitLogistic, type Sample } from '../lib/logistic.ts'
import type { Table } from '../lib/measure.ts'
import { withTypos, wrappedInNoise } from '../lib/texts.ts'
import { fillCards, type OpenVault, openVault, type Person, register, settleIndex } from '../lib/vault.ts'
import { readCards, readQueries, readUnanswerable } from '../symptom-fix/data.ts'

/** Fits the confidence of search (`eval collections --fit`): questions of each collection are asked of all others. */

/** The subject of symptom-fix, and of every collection of code. */
const PROGRAMMING = 'programming'

/** Our own benchmark as one more collection: short questions, errors, logs, and questions near to its cards that none answers. */
function symptomFix(): AskedCollection {
  const queries = readQueries()
  return {
    name: 'symptom-fix',
    subject: PROGRAMMING,
    texts: readCards().map(({ id, title, symptom, root_cause, fix }) => ({
      _id: id,
      title,
      text: [symptom, root_cause, fix].join('\n'),
    })),
    queries: queries.map(({ id, text }) => ({ _id: id, text })),
    judgements: new Map(queries.map(({ id, answer }) => [id, new Map([[answer, 1]])])),
    unanswerable: readUnanswerable().map(({ id, text }) => ({ _id: id, text })),
  }
}

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
type AskedCollection = Collection & {
  subject?: string
  unanswerable?: readonly Query[]
}

/** The collection that the questions come from. */
const NOBODY = 'nobody'

/** Collections about the same subject may answer each other's questions, so they are not foreign to each other. */
const isAlike = (a: AskedCollection, b: AskedCollection) => a.subject !== undefined && a.subject === b.subject

/** A collection, or a part of it, stored as the cards of one account. */
export type Scope = {
  name: string
  from: string
  collection: Collection
  person: Person
  nameOf: Map<string, string>
}

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
  hits: (Features & { isByChance: boolean; lacksTelling: boolean })[]
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

async function fill(vault: OpenVault, from: string, collection: Collection): Promise<Scope> {
  const person = await register(vault.url, `scope-${crypto.randomUUID()}`)
  const ids = await fillCards(vault.url, person, collection.texts.map(cardOf))
  await settleIndex(vault)
  const nameOf = new Map(ids.map((id, n) => [id, collection.texts[n]?._id ?? '']))
  return { name: collection.name, from, collection, person, nameOf }
}

/** Asks every scope its own queries and those of the other collections. */
async function collectSamples(vault: OpenVault, collections: readonly AskedCollection[]): Promise<Asked[]> {
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

async function askAll(vault: OpenVault, scope: Scope, query: Query, foreign?: string): Promise<Asked[]> {
  const found: Asked[] = []
  const seed = query._id.length + query.text.length
  // A third of the samples with typing errors and a third with noise are enough.
  const kinds = ['clean', ...(seed % 3 === 0 ? ['typos'] : []), ...(seed % 3 === 1 ? ['noise'] : [])]
  for (const kind of kinds) found.push(await ask(vault, scope, query, kind, foreign))
  return found
}

export async function ask(
  vault: OpenVault,
  { name, from, person, collection, nameOf }: Scope,
  query: Query,
  kind: string,
  foreign?: string,
): Promise<Asked> {
  const viewer: Viewer = {
    userId: person.userId,
    scopes: new Set(),
    isAdmin: false,
    credential: { kind: 'session', id: '' },
  }
  const ctx = { ...contextFor(vault.app.services), viewer }
  const text = KINDS[kind]?.(query.text, query._id.length + 7) ?? query.text
  const scope = {
    viewerId: person.userId,
    scope: 'personal' as const,
    workspaceIds: [],
    tags: [],
    environment: {},
    filters: {},
  }
  const { hits, asked } = await retrieve(ctx, readQuery(text), scope)
  const first = hits.slice(0, DEPTH)
  const byNumber = new Map(first.map((hit) => [hit.docNo, hit]))
  const codes = codesAsked(text)
  const { loaded } = await loadHits(ctx, scope, asked, first, { ...NO_DEMANDS, codes })
  const right = collection.judgements.get(query._id)
  const weighed = weighQuery(asked)
  return {
    scope: name,
    from,
    of: foreign ?? from,
    size: collection.texts.length,
    kind: name.includes('halved') || query.text.length > 300 ? `long ${kind}` : kind,
    isForeign: foreign !== undefined,
    hits: loaded.map(({ row, covers, texts }) => {
      const features = featuresOf(weighed, covers, byNumber.get(row.doc_no) as SearchHit)
      const isByChance = isMetByChance(covers, features) || isAboutAnotherCode(codes, texts.read)
      return { ...features, isByChance, lacksTelling: lacksTelling(weighed.information, covers) }
    }),
    judged: foreign ? -1 : loaded.findIndex(({ row }) => right?.has(nameOf.get(row.card_id) ?? '') === true),
  }
}

const NAMES = Object.keys(COEFFICIENTS) as (keyof Features)[]

/** A constant and a coefficient for each feature. */
type Model = readonly number[]

const xOf = (hit: Features) => [1, ...NAMES.map((name) => hit[name])]
const logitBy = (model: Model, hit: Features) =>
  xOf(hit).reduce((sum, x, i) => sum + x * (model[i] as number), 0)

/** Each collection, size and kind has the same weight, so that the largest does not dominate. */
const GROUP_WEIGHT = 30
const groupOf = ({ from, size, of, kind, isForeign }: Asked) =>
  [from, size, isForeign ? (of === NOBODY ? of : 'foreign') : 'own', kind].join()

/** An unanswered question close to the cards is harder than the questions that people usually ask. */
const NEAR_WEIGHT = 0.7
/** A right hit that is lost costs more than a wrong one that is shown. */
const PRESENT_WEIGHT = 1.2
/** The model decides which hit is the surest, so fitting is repeated. */
const ROUNDS = 5

/** The surest hit of a query, for queries that have their card among the hits and for those that do not. */
function fitModel(asked: readonly Asked[]): Model {
  const judged = asked.filter(({ hits, isForeign, judged }) => hits.length > 0 && (isForeign || judged >= 0))
  const groups = Map.groupBy(judged, groupOf)
  let model: Model = [0, ...NAMES.map((name) => (name === 'coverage' ? 1 : 0))]
  for (let round = 0; round < ROUNDS; round++) {
    const samples = judged.map((one): Sample => {
      const surest = one.hits.reduce((best, hit) => (logitBy(model, hit) > logitBy(model, best) ? hit : best))
      const share = GROUP_WEIGHT / (groups.get(groupOf(one))?.length ?? 1)
      const weight = one.of === NOBODY ? NEAR_WEIGHT : one.isForeign ? 1 : PRESENT_WEIGHT
      return { x: xOf(surest), label: one.isForeign ? 0 : 1, weight: share * weight }
    })
    model = fitLogistic(samples)
  }
  return model
}

/** The confidence of every hit of a query by a model, in the order of the ranking. */
function scoresBy(model: Model, { hits }: Asked): number[] {
  const ownCard = hits
    .slice(0, FIRST_HITS)
    .map((hit) => (hit.lacksTelling ? logitAmongAlike(hit) : Number.POSITIVE_INFINITY))
  const most = Math.max(Number.NEGATIVE_INFINITY, ...ownCard)
  const logits = hits.map((hit) => {
    const logit = Math.min(most, logitBy(model, hit))
    return hit.isByChance ? logitOfChance(logit) : logit
  })
  const best = Math.max(Number.NEGATIVE_INFINITY, ...logits.slice(0, FIRST_HITS))
  return logits.map((logit) => confidenceOf(besideBest(logit, best)))
}

/** Judges every collection by a model that was fitted without its cards and questions. */
function scoresHeldOut(asked: readonly Asked[]): Map<Asked, number[]> {
  const scores = new Map<Asked, number[]>()
  for (const name of new Set(asked.map(({ from }) => from))) {
    const model = fitModel(asked.filter(({ from, of }) => from !== name && of !== name))
    for (const one of asked) if (one.from === name) scores.set(one, scoresBy(model, one))
  }
  return scores
}

/** A score and its label: 1 if the query's card is in the vault, 0 if the query belongs to another collection. */
type Judged = { score: number; label: 0 | 1 }

const areaUnder = (judged: readonly Judged[]): number => {
  const scoresOf = (wanted: 0 | 1) => judged.filter(({ label }) => label === wanted).map(({ score }) => score)
  return areaUnderCurve(scoresOf(1), scoresOf(0))
}

type Bin = { from: number; count: number; score: number; share: number }
const BINS = 10

/** Scores in ten bins: the mean of each, and the share that is right. Both labels have the same total weight. */
function binsOf(judged: readonly Judged[]): Bin[] {
  const present = judged.filter(({ label }) => label === 1).length
  const weightOf = { 1: 0.5 / Math.max(1, present), 0: 0.5 / Math.max(1, judged.length - present) }
  return Array.from({ length: BINS }, (_, i) => {
    const within = judged.filter(({ score }) => Math.min(BINS - 1, Math.floor(score * BINS)) === i)
    const count = within.reduce((sum, { label }) => sum + weightOf[label], 0)
    const sumOf = (value: (one: Judged) => number) =>
      within.reduce((sum, one) => sum + weightOf[one.label] * value(one), 0)
    return {
      from: i / BINS,
      count,
      score: count > 0 ? sumOf(({ score }) => score) / count : 0,
      share: count > 0 ? sumOf(({ label }) => label) / count : 0,
    }
  })
}

const expectedCalibrationError = (judged: readonly Judged[]): number =>
  binsOf(judged).reduce((sum, { count, score, share }) => sum + count * Math.abs(score - share), 0)

const SIDE = 360
const LEFT = 56
const TOP = 44

const x = (value: number) => LEFT + value * SIDE
const y = (value: number) => TOP + SIDE - value * SIDE

/** Reliability: y is the share of best hits with a score around x whose query has its card in the vault. */
function drawReliability(judged: readonly Judged[]): string {
  const bins = binsOf(judged).filter(({ count }) => count > 0)
  const bars = bins.map(
    ({ from, count }) =>
      `<rect x="${x(from) + 2}" y="${y(count).toFixed(1)}" width="${SIDE / 10 - 4}" height="${(count * SIDE).toFixed(1)}" fill="#cbd5e1"/>`,
  )
  const dots = bins.map(
    ({ score, share }) =>
      `<circle cx="${x(score).toFixed(1)}" cy="${y(share).toFixed(1)}" r="4" fill="#2563eb"/>`,
  )
  const line = bins.map(({ score, share }) => `${x(score).toFixed(1)},${y(share).toFixed(1)}`).join(' ')
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((tick) => [
    `<text x="${x(tick)}" y="${y(0) + 18}" text-anchor="middle">${tick}</text>`,
    `<text x="${LEFT - 8}" y="${y(tick) + 4}" text-anchor="end">${tick}</text>`,
    `<line x1="${LEFT}" x2="${x(1)}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e2e8f0"/>`,
  ])
  const figures = `AUC ${areaUnder(judged).toFixed(3)}, expected calibration error ${expectedCalibrationError(judged).toFixed(3)}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + SIDE + 24} ${TOP + SIDE + 48}" font-family="system-ui, sans-serif" font-size="12" fill="#334155"><title>Search confidence, said and true</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT}" y="18" font-size="14" font-weight="600">Search confidence: said and true</text>
<text x="${LEFT}" y="34">${figures}; bars: share of the queries</text>
${ticks.join('\n')}
${bars.join('\n')}
<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#94a3b8" stroke-dasharray="4 4"/>
<polyline points="${line}" fill="none" stroke="#2563eb" stroke-width="2"/>
${dots.join('\n')}
<text x="${x(0.5)}" y="${TOP + SIDE + 40}" text-anchor="middle">score of the best result</text>
<text transform="translate(14 ${y(0.5)}) rotate(-90)" text-anchor="middle">queries whose card is in the vault</text>
</svg>
`
}

/** What is larger is a whole collection. */
const MAX_PART_BYTES = 1000

/** Prints the effect of other floors. */
const FLOORS = [0.4, 0.45, FLOOR, 0.55]

type Scores = (asked: Asked) => number[]

const judgedOf = (asked: readonly Asked[], scoresOf: Scores): Judged[] =>
  asked
    .filter(({ isForeign, judged }) => isForeign || judged >= 0)
    .map((one) => ({ score: Math.max(0, ...scoresOf(one)), label: one.isForeign ? 0 : 1 }))

/** The share of foreign queries with a hit, and of judged cards among the first ten that are hits. */
function rowOf(
  queries: string,
  asked: readonly Asked[],
  scoresOf: Scores,
  floor = FLOOR,
): Table['rows'][number] {
  const foreign = asked.filter(({ isForeign }) => isForeign)
  const found = asked.filter(({ isForeign, judged }) => !isForeign && judged >= 0)
  const hits = foreign.filter((one) => scoresOf(one).some((score) => score >= floor)).length
  const kept = found.filter((one) => (scoresOf(one)[one.judged] ?? 0) >= floor).length
  const judged = judgedOf(asked, scoresOf)
  return {
    queries,
    foreign: foreign.length,
    'with a hit': percent(hits, foreign.length),
    found: found.length,
    kept: percent(kept, found.length),
    AUC: areaUnder(judged).toFixed(3),
    ECE: expectedCalibrationError(judged).toFixed(3),
  }
}

function tableOf(title: string, asked: readonly Asked[], scoresOf: Scores): Table {
  const foreign = asked.filter(({ of }) => of !== NOBODY)
  const typed = foreign.filter(({ kind }) => kind === 'clean')
  const bySize = ({ size }: Asked) => (size <= MAX_PART_BYTES ? `${size} cards` : 'more cards')
  const groups = [
    ...Map.groupBy(foreign, ({ kind }) => kind),
    ...Map.groupBy(foreign, ({ from }) => from),
    ...Map.groupBy(foreign, bySize),
    ...Map.groupBy(typed, (one) => `clean, ${bySize(one)}`),
    ['near, without an answer', asked.filter(({ of }) => of === NOBODY)] as const,
  ]
  const rows = [
    rowOf('all', foreign, scoresOf),
    ...FLOORS.map((floor) => rowOf(`clean, floor ${floor}`, typed, scoresOf, floor)),
    ...groups.map(([name, some]) => rowOf(name, some, scoresOf)),
  ]
  return { title, rows }
}

export type FitOptions = {
  folders: readonly string[]
  /** Folders about programming, as symptom-fix is: these are not asked each other's queries. */
  code: readonly string[]
  /** Where to draw the reliability. */
  draw?: string | undefined
  quick: boolean
}

/** The coefficients that fit these collections best, for src/text/query.ts, and how well they tell hits apart. */
export async function fitConfidence({ folders, code, draw, quick }: FitOptions): Promise<Table[]> {
  const isCode = (folder: string) => code.some((one) => basename(one) === basename(folder))
  const collections = [...folders, ...code].map((folder) => {
    const collection: AskedCollection = readCollection(folder)
    const texts = quick ? collection.texts.slice(0, 60) : collection.texts
    return { ...collection, texts, ...(isCode(folder) ? { subject: PROGRAMMING } : {}) }
  })
  const vault = await openVault()
  try {
    const all = quick ? [...collections] : [...collections, symptomFix()]
    const asked = await collectSamples(vault, all)
    const asItIs: Scores = (one) => scoresBy([CONSTANT, ...NAMES.map((name) => COEFFICIENTS[name])], one)
    const heldOut = scoresHeldOut(asked)
    const [constant = 0, ...rest] = fitModel(asked)
    if (draw) {
      const typed = asked.filter(({ kind, of }) => kind === 'clean' && of !== NOBODY)
      writeFileSync(draw, drawReliability(judgedOf(typed, asItIs)))
    }
    return [
      tableOf('as it is', asked, asItIs),
      tableOf(
        'held out: each collection by a fit without its cards and questions',
        asked,
        (one) => heldOut.get(one) ?? [],
      ),
      {
        title: 'coefficients',
        rows: [
          { name: 'constant', is: CONSTANT, fitted: constant.toFixed(2) },
          ...NAMES.map((name, i) => ({ name, is: COEFFICIENTS[name], fitted: rest[i]?.toFixed(2) ?? '' })),
        ],
      },
    ]
  } finally {
    await vault.stop()
  }
}
