import { eventNumber } from '../../src/features/memory/events.search.ts'
import type { Features } from '../../src/features/memory/ranked/judge.ts'
import { type Ranking, rankEvents } from '../../src/features/memory/ranked/rank-events.ts'
import { readQuery } from '../../src/text/query-words.ts'
import { fitLogistic, type Sample, sigmoid } from '../confidence/logistic.ts'
import { type Collection, readCollection, sampleOf } from '../search/collections.ts'
import { type BenchVault, openVault, register } from '../search/vault.ts'
import { areaUnderCurve } from '../symptom-fix/score.ts'
import { dialogues } from './dialogues.ts'
import { fillWith } from './fill.ts'

/**
 * `node bench/memory/fit-confidence.ts <folder> …` fits what src/features/memory/ranked/judge.ts says: a judged answer among the first
 * ten is right, and the first hit of a question of another collection is wrong. Every second question is kept for checking.
 */

/** Left out: the size of a project and the length of an event. They identify the collection, not a right answer. */
const FITTED = [
  'coverage',
  'covered',
  'asked',
  'prominence',
  'standing',
] as const satisfies (keyof Features)[]
const QUESTIONS = 200
const DEPTH = 10

type Project = {
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

async function open(vault: BenchVault, collection: Collection, key: string): Promise<Project> {
  const { app } = vault
  const owner = await register(app, key)
  const events = collection.texts.map(({ title, text }) => ({ title: title || null, content: text }))
  await fillWith(app, owner, `fit/${key}`, events)
  const { database } = app.services
  const { partition_no: partition } = await database.read
    .selectFrom('context_partitions')
    .select('partition_no')
    .where('user_id', '=', owner.userId)
    .executeTakeFirstOrThrow()
  const range = {
    userId: owner.userId,
    partition,
    from: eventNumber(partition, 0),
    to: eventNumber(partition, events.length),
  }
  const reach = { db: database.read, database, ranges: [range], events: events.length }
  return {
    collection,
    ask: (query) => rankEvents(reach, readQuery(query), { limit: DEPTH, corrects: true }),
    nameOf: new Map(collection.texts.map(({ _id }, i) => [eventNumber(partition, i + 1), _id])),
  }
}

const sampleFor = (features: Features, label: 0 | 1): Sample => ({
  x: [1, ...FITTED.map((name) => features[name])],
  label,
  weight: 1,
})

/** Right answers, and first hits of questions without an answer. */
async function samplesOf(project: Project, others: readonly Project[]): Promise<Sample[]> {
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

const vault = await openVault('sqlite')
try {
  const whole = [dialogues(10_000, 2 * QUESTIONS), ...process.argv.slice(2).map(readCollection)]
  const projects: Project[] = []
  for (const size of [150, 1000, 10_000])
    for (const [i, collection] of whole.entries())
      projects.push(await open(vault, partOf(collection, size), `size${size}-${i}`))
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
  const of = (label: 0 | 1) => checked.filter((one) => one.label === label).map(({ p }) => p)
  const above = (scores: number[]) => scores.filter((p) => p >= 0.5).length / Math.max(1, scores.length)
  console.log(['constant', ...FITTED].map((name, i) => `${name}: ${(beta[i] ?? 0).toFixed(2)}`).join(', '))
  console.log(
    `${checked.length} checked: AUC ${areaUnderCurve(of(1), of(0)).toFixed(3)}, above .5: ${above(of(1)).toFixed(3)} of the right, ${above(of(0)).toFixed(3)} of the wrong`,
  )
} finally {
  await vault.destroy()
}
