import { parseArgs } from 'node:util'
import { contextFor, inTx } from '../../src/core/context.ts'
import { newId } from '../../src/db/ids.ts'
import { refreshTrust } from '../../src/features/trust/refresh.ts'
import {
  type Collection,
  cardOf,
  meansOf,
  percent,
  type QueryScore,
  readCollection,
  sampleOf,
  scoreQuery,
} from '../lib/collections.ts'
import { type Table, UsageError } from '../lib/measure.ts'
import { randomFrom } from '../lib/texts.ts'
import {
  call,
  fillCards,
  type OpenVault,
  openVault,
  type Person,
  register,
  settleIndex,
} from '../lib/vault.ts'

const LIARS = [0, 5, 20, 40]
const MAX_TEXTS = 2000
const MAX_QUERIES = 200
const PEOPLE = 60
/** How many people judge one card: some cards are popular, most are not. */
const VERDICTS_EACH = [3, 5, 8, 12]
const DAY_MS = 86_400_000

type Twins = { good: string; stale: string }

/** Judged texts first, so that a part of the collection still has an answer to every query. */
function partOf(collection: Collection, maxTexts: number, maxQueries: number) {
  const queries = sampleOf(collection.queries, maxQueries)
  const wanted = new Set(queries.flatMap(({ _id }) => [...(collection.judgements.get(_id)?.keys() ?? [])]))
  const judged = collection.texts.filter(({ _id }) => wanted.has(_id))
  const others = collection.texts.filter(({ _id }) => !wanted.has(_id))
  return { queries, judged, texts: [...judged, ...others.slice(0, Math.max(0, maxTexts - judged.length))] }
}

/** Every second stale twin is recorded before its card, so that age decides nothing. */
async function plant(vault: OpenVault, owner: Person, { judged, texts }: ReturnType<typeof partOf>) {
  const hasTwin = new Set(judged.map(({ _id }) => _id))
  const cards = texts.flatMap((text, n) => {
    const good = { text, isStale: false, fix: 'As it is done today.' }
    const stale = { text, isStale: true, fix: 'As it was done before.' }
    if (!hasTwin.has(text._id)) return [good]
    return n % 2 === 0 ? [good, stale] : [stale, good]
  })
  const ids = await fillCards(
    vault.url,
    owner,
    cards.map(({ text, fix }) => ({ ...cardOf(text), fix_summary: fix })),
  )
  await settleIndex(vault)
  const idOf = new Map(cards.map(({ text, isStale }, n) => [`${isStale} ${text._id}`, ids[n] ?? '']))
  const find = (isStale: boolean, name: string) => idOf.get(`${isStale} ${name}`) ?? ''
  return {
    twins: judged.map(({ _id }): Twins => ({ good: find(false, _id), stale: find(true, _id) })),
    nameOf: new Map(texts.map(({ _id }) => [find(false, _id), _id])),
  }
}

/** Everybody says what they found, except the liars, who say the opposite. */
async function judge(
  vault: OpenVault,
  owner: Person,
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

/** How often a stale copy of a card comes first, when people judge both and part of them lies. */
export async function run(args: string[]): Promise<Table[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  })
  const [folder] = positionals
  if (folder === undefined) throw new UsageError('npm run eval -- trust <folder of a judged collection>')
  const collection = readCollection(folder)
  const chosen = values.quick ? partOf(collection, 60, 20) : partOf(collection, MAX_TEXTS, MAX_QUERIES)
  const vault = await openVault()
  try {
    const owner = await register(vault.url, 'owner')
    const people: string[] = []
    for (let n = 0; n < PEOPLE; n++) people.push((await register(vault.url, `person-${n}`)).userId)
    const { twins, nameOf } = await plant(vault, owner, chosen)
    const staleIds = new Set(twins.map(({ stale }) => stale))
    const rows: Table['rows'] = []
    for (const liars of ['no verdicts', ...LIARS]) {
      if (typeof liars === 'number') await judge(vault, owner, people, twins, liars)
      const scores: QueryScore[] = []
      let staleFirst = 0
      for (const { _id, text } of chosen.queries) {
        const body = { query: text.padEnd(3), limit: 20 }
        const { results } = await call(vault.url, 'POST', '/api/v1/search', body, owner.headers)
        const found: string[] = results.map((result: { card_id: string }) => result.card_id)
        if (staleIds.has(found[0] ?? '')) staleFirst++
        const names = found.map((id) => (staleIds.has(id) ? `stale ${id}` : (nameOf.get(id) ?? '')))
        scores.push(scoreQuery(names, collection.judgements.get(_id) ?? new Map()))
      }
      rows.push({
        liars: typeof liars === 'number' ? `${liars} %` : liars,
        'stale first': percent(staleFirst, chosen.queries.length),
        ...meansOf(scores),
      })
    }
    const title = `${collection.name}: ${chosen.texts.length} cards, ${twins.length} stale twins, ${chosen.queries.length} queries`
    return [{ title, rows }]
  } finally {
    await vault.stop()
  }
}
