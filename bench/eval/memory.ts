import { parseArgs } from 'node:util'
import { eventNumber } from '../../src/features/memory/event-index.ts'
import { type Features, type Ranking, rankEvents } from '../../src/features/memory/event-search.ts'
import { FLOOR, readQuery } from '../../src/text/query.ts'
import {
  areaUnderCurve,
  type Collection,
  flatBm25,
  meansOf,
  percent,
  type QueryScore,
  readCollection,
  sampleOf,
  scoreQuery,
} from '../lib/collections.ts'
import { fitLogistic, type Sample, sigmoid } from '../lib/logistic.ts'
import type { Table } from '../lib/measure.ts'
import { numbers, withTypos } from '../lib/texts.ts'
import {
  call,
  type Event,
  engineOf,
  fillEvents,
  type OpenVault,
  openVault,
  type Person,
  register,
} from '../lib/vault.ts'

const DEPTH = 10
const MAX_QUERY = 2000

const eventsOf = (texts: Collection['texts']): Event[] =>
  texts.map(({ title, text }) => (title ? { title, content: text } : { content: text }))

type Project = { key: string; texts: Collection['texts']; collections: readonly Collection[] }
type Hit = { raw_id: string; score: number }

/** Several collections in one. Ids get the name of their collection, so that they stay different. */
const joined = (collections: readonly Collection[]): Collection['texts'] =>
  collections.flatMap(({ name, texts }) => texts.map((text) => ({ ...text, _id: `${name} ${text._id}` })))

async function find({ url }: OpenVault, { headers }: Person, key: string, text: string): Promise<Hit[]> {
  const query = text.slice(0, MAX_QUERY)
  const parameters = new URLSearchParams({ project_key: key, query, mode: 'ranked', limit: `${DEPTH}` })
  const path = `/api/v1/project-context/search?${parameters}`
  return (await call(url, 'GET', path, undefined, headers)).results
}

type Asked = { rows: Table['rows']; sure: number[] }

/** Asks a project its own questions, as they are and with typing errors. Returns the scores of right first hits too. */
async function askOwn(vault: OpenVault, owner: Person, project: Project, most: number): Promise<Asked> {
  const { key, texts, collections } = project
  const ids = await fillEvents(vault.url, owner, key, eventsOf(texts))
  const nameOf = new Map(ids.map((id, n) => [id, texts[n]?._id ?? '']))
  // A card would be titled by its first line; an event is not.
  const untitled = texts.map((text) => ({ ...text, title: text.title || ' ' }))
  const flat = flatBm25({ name: key, texts: untitled, queries: [], judgements: new Map() })
  const asked: Asked = { rows: [], sure: [] }
  for (const { name, queries, judgements } of collections)
    for (const hasTypos of [false, true]) {
      const scores: Record<string, QueryScore[]> = { memory: [], 'flat BM25': [] }
      for (const { _id, text } of sampleOf(queries, most)) {
        const query = hasTypos ? withTypos(text) : text
        const relevant = new Map(
          [...(judgements.get(_id) ?? [])].map(([id, gain]) => [`${name} ${id}`, gain]),
        )
        const hits = await find(vault, owner, key, query)
        const found = hits.map((hit) => nameOf.get(hit.raw_id) ?? '')
        scores.memory?.push(scoreQuery(found, relevant))
        scores['flat BM25']?.push(scoreQuery(flat(query, DEPTH), relevant))
        if (!hasTypos && relevant.has(found[0] ?? '')) asked.sure.push(hits[0]?.score ?? 0)
      }
      for (const [by, some] of Object.entries(scores))
        asked.rows.push({
          questions: `${name}${hasTypos ? ' with typos' : ''}`,
          events: texts.length,
          asked: some.length,
          by,
          ...meansOf(some),
        })
    }
  return asked
}

/** Asks a project the questions of the others, where nothing answers. Returns the scores of the first hits. */
async function askForeign(
  vault: OpenVault,
  owner: Person,
  { key }: Project,
  others: readonly Project[],
  most: number,
): Promise<number[]> {
  const sure: number[] = []
  for (const { queries } of others.flatMap(({ collections }) => collections))
    for (const { text } of sampleOf(queries, most)) {
      const [first] = await find(vault, owner, key, text)
      sure.push(first?.score ?? 0)
    }
  return sure
}

async function evaluate(vault: OpenVault, projects: readonly Project[], most: number): Promise<Table[]> {
  const owner = await register(vault.url, 'evaluator')
  const rows: Table['rows'] = []
  const right: number[] = []
  for (const project of projects) {
    const asked = await askOwn(vault, owner, project, most)
    rows.push(...asked.rows)
    right.push(...asked.sure)
  }
  const foreign: number[] = []
  for (const project of projects)
    foreign.push(
      ...(await askForeign(
        vault,
        owner,
        project,
        projects.filter((other) => other !== project),
        most,
      )),
    )
  const above = (scores: readonly number[]) =>
    percent(scores.filter((score) => score >= FLOOR).length, scores.length)
  return [
    { title: 'ranked memory search', rows },
    {
      title: 'above the floor',
      rows: [
        { hits: 'right first hits', asked: right.length, above: above(right) },
        {
          hits: 'first hits of foreign questions',
          asked: foreign.length,
          above: above(foreign),
          AUC: areaUnderCurve(right, foreign).toFixed(3),
        },
      ],
    },
  ]
}

/** Left out: the size of a project and the length of an event. They identify the collection, not a right answer. */
const FITTED = [
  'coverage',
  'covered',
  'asked',
  'prominence',
  'standing',
] as const satisfies (keyof Features)[]
const QUESTIONS = 200
type FitProject = {
  collection: Collection
  ask: (query: string) => Promise<Ranking>
  nameOf: Map<number, string>
}

/** A part of a collection as a project. Most real projects are small, so small parts are used too. */
function partOf({ name, texts, queries, judgements }: Collection, most: number): Collection {
  const asked = sampleOf(queries, Math.min(QUESTIONS, Math.ceil(most / 4)))
  const needed = new Set(asked.flatMap(({ _id }) => [...(judgements.get(_id)?.keys() ?? [])]))
  const others = texts.filter(({ _id }) => !needed.has(_id)).slice(0, Math.max(0, most - needed.size))
  const kept = [...texts.filter(({ _id }) => needed.has(_id)), ...others]
  return { name: `${name} ${kept.length}`, texts: kept, queries: asked, judgements }
}

async function openProject(vault: OpenVault, collection: Collection, key: string): Promise<FitProject> {
  const owner = await register(vault.url, key)
  const ids = await fillEvents(vault.url, owner, `fit/${key}`, eventsOf(collection.texts))
  const { database } = vault.app.services
  const { partition_no: partition } = await database.read
    .selectFrom('context_partitions')
    .select('partition_no')
    .where('user_id', '=', owner.userId)
    .executeTakeFirstOrThrow()
  const written = await database.read
    .selectFrom('context_events')
    .select(['raw_id', 'event_no'])
    .where('user_id', '=', owner.userId)
    .execute()
  const nameOf = new Map(ids.map((id, n) => [id, collection.texts[n]?._id ?? '']))
  const range = {
    userId: owner.userId,
    partition,
    from: eventNumber(partition, 0),
    to: eventNumber(partition, collection.texts.length),
  }
  const reach = { db: database.read, database, ranges: [range], events: collection.texts.length }
  return {
    collection,
    ask: (query) => rankEvents(reach, readQuery(query), { limit: DEPTH, corrects: true }),
    nameOf: new Map(written.map(({ raw_id, event_no }) => [event_no, nameOf.get(raw_id) ?? ''])),
  }
}

const sampleFor = (features: Features, label: 0 | 1): Sample => ({
  x: [1, ...FITTED.map((name) => features[name])],
  label,
  weight: 1,
})

/** Right answers, and first hits of questions without an answer. */
async function samplesOf(project: FitProject, others: readonly FitProject[]): Promise<Sample[]> {
  const samples: Sample[] = []
  const { queries, judgements } = project.collection
  for (const { _id, text } of queries) {
    const { events } = await project.ask(text)
    const right = events
      .slice(0, DEPTH)
      .find(({ eventNo }) => judgements.get(_id)?.has(project.nameOf.get(eventNo) ?? ''))
    if (right) samples.push(sampleFor(right.features, 1))
  }
  const share = Math.ceil(samples.length / Math.max(1, others.length))
  for (const other of others)
    for (const { text } of sampleOf(other.collection.queries, share)) {
      const [first] = (await project.ask(text)).events
      if (first) samples.push(sampleFor(first.features, 0))
    }
  return samples
}

/** The coefficients that fit these collections best, for src/features/memory/event-search.ts. Every second question is kept for checking. */
async function fitCoefficients(
  vault: OpenVault,
  whole: readonly Collection[],
  sizes: readonly number[],
): Promise<Table[]> {
  const projects: FitProject[] = []
  for (const size of sizes)
    for (const [i, collection] of whole.entries())
      projects.push(await openProject(vault, partOf(collection, size), `size${size}-${i}`))
  const samples: Sample[] = []
  for (const [i, project] of projects.entries()) {
    const others = projects.filter((_, j) => j % whole.length !== i % whole.length)
    samples.push(...(await samplesOf(project, others)))
  }
  const beta = fitLogistic(samples.filter((_, i) => i % 2 === 0))
  const checked = samples
    .filter((_, i) => i % 2 === 1)
    .map(({ x, label }) => ({
      label,
      p: sigmoid(x.reduce((sum, value, i) => sum + value * (beta[i] ?? 0), 0)),
    }))
  const scoresOf = (label: 0 | 1) => checked.filter((one) => one.label === label).map(({ p }) => p)
  const above = (scores: number[]) => percent(scores.filter((p) => p >= 0.5).length, scores.length)
  return [
    {
      title: 'coefficients',
      rows: ['constant', ...FITTED].map((name, i) => ({ name, fitted: (beta[i] ?? 0).toFixed(2) })),
    },
    {
      title: 'questions that were kept apart',
      rows: [
        {
          checked: checked.length,
          AUC: areaUnderCurve(scoresOf(1), scoresOf(0)).toFixed(3),
          'right above .5': above(scoresOf(1)),
          'wrong above .5': above(scoresOf(0)),
        },
      ],
    },
  ]
}

/** Quality of ranked memory search: texts are the events of a project. Dialogues made from templates are always asked. */
export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: 'sqlite' },
      events: { type: 'string', default: '10000' },
      queries: { type: 'string', default: '300' },
      fit: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  })
  const [events, most] = values.quick ? [400, 10] : [Number(values.events), Number(values.queries)]
  const made = dialogues(events, values.fit ? 2 * QUESTIONS : most)
  const collections = positionals.map(readCollection)
  const vault = await openVault(engineOf(values.engine))
  try {
    if (values.fit)
      return await fitCoefficients(vault, [made, ...collections], values.quick ? [150] : [150, 1000, 10_000])
    const cut = values.quick ? collections.map((one) => partOf(one, 200)) : collections
    const projects: Project[] = [{ key: 'eval/dialogues', texts: joined([made]), collections: [made] }]
    if (cut.length > 0) projects.push({ key: 'eval/texts', texts: joined(cut), collections: cut })
    return await evaluate(vault, projects, most)
  } finally {
    await vault.stop()
  }
}

/** Dialogues of people who tell each other what they did, in sessions of some turns, made from templates. */

const PEOPLE = 'Mara Tobias Ines Kenji Olu Freya Dario Priya Anton Leila Bruno Sasha'.split(' ')
const DEEDS: [past: string, asked: string][] = [
  ['repaired', 'fix'],
  ['bought', 'buy'],
  ['sold', 'sell'],
  ['lost', 'lose'],
  ['painted', 'paint'],
  ['borrowed', 'borrow'],
  ['cleaned', 'clean'],
  ['gave away', 'give away'],
  ['photographed', 'photograph'],
  ['ordered', 'order'],
  ['returned', 'return'],
  ['carried', 'carry'],
  ['wrapped', 'wrap'],
  ['found', 'find'],
  ['measured', 'measure'],
  ['built', 'build'],
]
const THINGS =
  'bicycle,kayak,violin,typewriter,greenhouse,telescope,sewing machine,record player,bookshelf,rowing boat,espresso machine,tent,lantern,quilt,carpet,fireplace,fence,birdhouse,saxophone,microscope,treadmill,hammock,wardrobe,chandelier,accordion,snowboard,aquarium,trampoline,wheelbarrow,chessboard,projector,skateboard,canoe,easel,loom,kiln,beehive,sundial,harmonica,suitcase,compass,barometer,gramophone,sledge,teapot,cupboard'.split(
    ',',
  )
const LOCATIONS =
  'harbour,library,old mill,school yard,flea market,town hall,ferry terminal,botanical garden,train station,lighthouse,vineyard,monastery,quarry,fire station,observatory,bakery,swimming pool,museum shop,community centre,campsite'.split(
    ',',
  )
const COLOURS = 'green,yellow,crimson,turquoise,grey,violet,orange,ivory,copper,navy'.split(',')
const REASONS = [
  'my neighbour needed it for a wedding',
  'the roof had started to leak',
  'I wanted to surprise my grandmother',
  'we are moving to a smaller flat in autumn',
  'the insurance finally paid',
  'the children kept asking for it',
  'I had promised it to the choir',
  'the old one fell apart in the storm',
  'a colleague made me an offer I could not refuse',
  'I am taking evening classes now',
]
const CHATTER = [
  'Honestly, this week was far too long, how are you holding up?',
  'That sounds great, tell me more about it some time!',
  'I have not slept well, the dog next door barks all night.',
  'We should meet for lunch again, it has been ages.',
  'Work is busy, two people left and nobody replaces them.',
  'Did you see the rain yesterday? The cellar was wet again.',
  'My sister called, she sends her love to everybody.',
  'I am thinking of taking a few days off in spring.',
  'The kids have a concert on Friday, I still need to bake something.',
  'You always know how to cheer me up, thank you!',
  'I tried that new recipe, it was a disaster from start to end.',
  'No news from the landlord, as usual.',
]

type Make = { pick: <T>(from: readonly T[]) => T; add: (text: string) => string }
type Question = { text: string; answers: string[] }

/** One event in a dialogue: a question, an answer in one or two turns, and small talk in between. */
function episode({ pick, add }: Make, used: Set<string>): Question | undefined {
  const [teller, friend] = [pick(PEOPLE), pick(PEOPLE)]
  const [past, asked] = pick(DEEDS)
  const [thing, colour] = [pick(THINGS), pick(COLOURS)]
  const key = `${teller} ${past} ${thing}`
  const say = (who: string, text: string) => add(`${who}: ${text}`)
  if (teller === friend || used.has(key)) {
    say(friend, pick(CHATTER))
    return undefined
  }
  used.add(key)
  const location = pick(LOCATIONS)
  const reason = pick(REASONS)
  say(friend, pick([`Hey ${teller}, any news?`, `What have you been up to, ${teller}?`, pick(CHATTER)]))
  const told = say(
    teller,
    pick([
      `I finally ${past} the ${colour} ${thing}, right behind the ${location}.`,
      `Guess what, I ${past} a ${colour} ${thing} near the ${location} on Saturday!`,
      `Well, the ${thing}! I ${past} it at the ${location}, it is ${colour} by the way.`,
    ]),
  )
  say(friend, pick([`A ${thing}? Why that?`, 'Really? How come?', 'Oh wow, what made you do it?']))
  const why = say(teller, pick([`Because ${reason}.`, `You know, ${reason}, so it had to be.`]))
  for (let rest = pick([1, 2, 4, 6]); rest > 0; rest -= 1) say(pick([teller, friend]), pick(CHATTER))
  return pick([
    { text: `Where did ${teller} ${asked} the ${thing}?`, answers: [told] },
    { text: `What colour was the ${thing} that ${teller} ${past}?`, answers: [told] },
    { text: `Why did ${teller} ${asked} a ${thing}?`, answers: [told, why] },
    { text: `What did ${teller} do at the ${location} with the ${thing}?`, answers: [told] },
  ])
}

/** Makes the given number of turns, one event each, and questions about some of them. */
function dialogues(turns: number, questions: number): Collection {
  const next = numbers(11)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
  const texts: Collection['texts'] = []
  const add = (text: string) => {
    texts.push({ _id: `turn${texts.length}`, text })
    return `turn${texts.length - 1}`
  }
  const asked: Question[] = []
  const used = new Set<string>()
  while (texts.length < turns) {
    const question = episode({ pick, add }, used)
    if (question) asked.push(question)
  }
  const step = Math.max(1, Math.floor(asked.length / questions))
  const chosen = asked.filter((_, i) => i % step === 0).slice(0, questions)
  return {
    name: 'dialogues',
    texts,
    queries: chosen.map(({ text }, i) => ({ _id: `q${i}`, text })),
    judgements: new Map(
      chosen.map(({ answers }, i) => [`q${i}`, new Map(answers.map((answer) => [answer, 1]))]),
    ),
  }
}
