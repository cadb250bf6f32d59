/**
 * Adds stale twins to a collection: every judged card gets a copy with an outdated fix. A population, part of which lies,
 * judges both. Then the collection's queries are asked. Prints nDCG@10 of the good cards, and how often the stale one is first.
 * `npm run eval:trust -- <folder>`
 */
import { contextFor, inTx } from '../src/core/context.ts'
import { newId } from '../src/db/ids.ts'
import { refreshTrust } from '../src/features/trust/refresh.ts'
import { type BenchCard, randomFrom } from './search/cards.ts'
import { type Collection, readCollection, sampleOf, titleOf } from './search/collections.ts'
import { loadCards } from './search/load.ts'
import { mean, scoreQuery } from './search/measures.ts'
import { type Account, type BenchVault, openVault, register } from './search/vault.ts'

const [folder = ''] = process.argv.slice(2)
if (folder === '') {
  console.error('npm run eval:trust -- <folder>')
  process.exit(2)
}

const LIARS = [0, 5, 20, 40]
const MOST_TEXTS = 2000
const MOST_QUERIES = 200
const PEOPLE = 60
/** How many people judge one card: some cards are popular, most are not. */
const VERDICTS_EACH = [3, 5, 8, 12]
const DAY_MS = 86_400_000

type Twins = { good: string; stale: string }

const cardOf = (title: string, text: string, fix: string): BenchCard => ({
  title,
  symptom: text,
  fix_summary: fix,
  root_cause: '',
  tags: [],
  environment: {},
})

/** Judged cards first, so that a part of the collection still has an answer to every query. */
function part(collection: Collection) {
  const queries = sampleOf(collection.queries, MOST_QUERIES)
  const wanted = new Set(queries.flatMap(({ _id }) => [...(collection.judgements.get(_id)?.keys() ?? [])]))
  const judged = collection.texts.filter(({ _id }) => wanted.has(_id))
  const others = collection.texts.filter(({ _id }) => !wanted.has(_id))
  return { queries, judged, texts: [...judged, ...others.slice(0, MOST_TEXTS - judged.length)] }
}

async function plant(vault: BenchVault, owner: Account, { judged, texts }: ReturnType<typeof part>) {
  const cards = [
    ...texts.map((text) => cardOf(titleOf(text), text.text, 'As it is done today.')),
    ...judged.map((text) => cardOf(titleOf(text), text.text, 'As it was done before.')),
  ]
  const ids: string[] = []
  const target = { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' as const }
  await loadCards(vault.app.services, cards, () => target, {
    onCard: (id, n) => {
      ids[n] = id
    },
  })
  const twins = new Map<string, Twins>()
  for (const [i, { _id }] of judged.entries())
    twins.set(_id, { good: ids[i] ?? '', stale: ids[texts.length + i] ?? '' })
  const nameOf = new Map(texts.map(({ _id }, i) => [ids[i] ?? '', _id]))
  return { twins, nameOf }
}

/** Everybody says what they found, except the liars, who say the opposite. */
async function judge(
  vault: BenchVault,
  owner: Account,
  people: readonly string[],
  twins: readonly Twins[],
  liars: number,
) {
  const random = randomFrom(11)
  const ctx = contextFor(vault.app.services)
  const isLiar = (person: number) => person < (people.length * liars) / 100
  await inTx(ctx, async (ctx) => {
    // Rows of verdicts cannot be changed, so a new population starts with an empty table.
    await ctx.db.updateTable('cards').set({ deleted_at: new Date().toISOString() }).execute()
    await ctx.db.deleteFrom('card_verdicts').execute()
    await ctx.db.updateTable('cards').set({ deleted_at: null, trust: null }).execute()
    for (const { good, stale } of twins)
      for (const [card, truth, lie] of [
        [good, 'worked', 'stale'],
        [stale, 'stale', 'worked'],
      ] as const) {
        const many = VERDICTS_EACH[random(VERDICTS_EACH.length)] ?? 3
        for (let i = 0; i < many; i++) {
          const person = random(people.length)
          await ctx.db
            .insertInto('card_verdicts')
            .values({
              verdict_id: newId(),
              card_id: card,
              user_id: people[person] ?? '',
              owner_id: owner.userId,
              card_version: 1,
              outcome: isLiar(person) ? lie : truth,
              environment: '{}',
              environment_key: '',
              closeness: 'stranger',
              nth_of_owner: 1,
              is_rewarded: 0,
              evidence: null,
              note: null,
              applied_in: null,
              created_at: new Date(Date.now() - random(180) * DAY_MS).toISOString(),
            })
            .execute()
        }
      }
    const ids = twins.flatMap(({ good, stale }) => [good, stale])
    for (let at = 0; at < ids.length; at += 200) await refreshTrust(ctx, ids.slice(at, at + 200))
  })
}

async function ask(vault: BenchVault, owner: Account, query: string): Promise<string[]> {
  const answer = await vault.app.server.inject({
    method: 'POST',
    url: '/api/v1/search',
    headers: { authorization: `Bearer ${owner.token}` },
    payload: { query: query.padEnd(3), limit: 20 },
  })
  return answer.json().results.map((result: { card_id: string }) => result.card_id)
}

const vault = await openVault('sqlite')
try {
  const collection = readCollection(folder)
  const chosen = part(collection)
  const owner = await register(vault.app, 'owner')
  const people: string[] = []
  for (let n = 0; n < PEOPLE; n++) people.push((await register(vault.app, `person-${n}`)).userId)
  const { twins, nameOf } = await plant(vault, owner, chosen)
  const pairs = [...twins.values()]
  const staleIds = new Set(pairs.map(({ stale }) => stale))
  console.log(
    `${collection.name}: ${chosen.texts.length} cards, ${pairs.length} stale twins, ${chosen.queries.length} queries`,
  )
  for (const liars of ['no verdicts', ...LIARS]) {
    if (typeof liars === 'number') await judge(vault, owner, people, pairs, liars)
    const scores = []
    let staleFirst = 0
    for (const { _id, text } of chosen.queries) {
      const found = await ask(vault, owner, text)
      if (staleIds.has(found[0] ?? '')) staleFirst++
      const good = found.filter((id) => !staleIds.has(id)).map((id) => nameOf.get(id) ?? '')
      const withStale = found.map((id) => (staleIds.has(id) ? `stale ${id}` : (nameOf.get(id) ?? '')))
      scores.push({ all: scoreQuery(withStale, collection.judgements.get(_id) ?? new Map()), good })
    }
    const share = ((100 * staleFirst) / chosen.queries.length).toFixed(1)
    const name = typeof liars === 'number' ? `${liars} % liars` : liars
    console.log(
      `  ${name.padEnd(12)} stale first in ${share} % of the queries; ${mean(scores.map(({ all }) => all))}`,
    )
  }
} finally {
  await vault.destroy()
}
