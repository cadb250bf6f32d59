/**
 * How long it takes to compute the trust of all cards, and what reading it costs a search.
 * `npm run bench:trust -- [cards] [verdicts]`
 */
import { contextFor, inTx, type Services } from '../src/core/context.ts'
import { newId } from '../src/db/ids.ts'
import { insertRows } from '../src/db/prepared.ts'
import { refreshAllTrust } from '../src/features/trust/refresh.ts'
import { storedTrust } from '../src/features/trust/stored-trust.ts'
import { trustSummary } from '../src/features/trust/summary.ts'
import { remixedCards, sentencesFrom } from './search/cards.ts'
import { loadCards } from './search/load.ts'
import { openVault, register } from './search/vault.ts'

const [cards = 100_000, verdicts = 1_000_000] = process.argv.slice(2).map(Number)
const JUDGES = 200
const PER_INSERT = 500
const HITS_OF_A_SEARCH = 10

const COLUMNS = [
  'verdict_id',
  'card_id',
  'user_id',
  'owner_id',
  'card_version',
  'outcome',
  'environment',
  'environment_key',
  'closeness',
  'nth_of_owner',
  'is_rewarded',
  'created_at',
] as const

async function sayThem(services: Services, ids: readonly string[], owner: string, judges: readonly string[]) {
  const ctx = contextFor(services)
  const now = services.now().getTime()
  for (let from = 0; from < verdicts; from += PER_INSERT) {
    const rows = Array.from({ length: Math.min(PER_INSERT, verdicts - from) }, (_, i) => {
      const n = from + i
      const version = 18 + 2 * (n % 4)
      return [
        newId(),
        ids[n % ids.length],
        judges[Math.floor(n / ids.length) % judges.length],
        owner,
        1,
        n % 5 === 0 ? 'failed' : 'worked',
        `{"node":"${version}"}`,
        `node=${version}`,
        'stranger',
        1 + (n % 50),
        0,
        new Date(now - (n % 365) * 86_400_000).toISOString(),
      ]
    })
    await inTx(ctx, (ctx) => insertRows(ctx.db, 'card_verdicts', COLUMNS, rows))
  }
  // Only judged cards count.
  await inTx(ctx, (ctx) => ctx.db.updateTable('cards').set({ trust: '{}' }).execute())
}

const vault = await openVault('sqlite')
try {
  const { services } = vault.app
  const owner = await register(vault.app, 'owner')
  const judges: string[] = []
  for (let n = 0; n < JUDGES; n++) judges.push((await register(vault.app, `judge-${n}`)).userId)
  const ids: string[] = []
  await loadCards(
    services,
    remixedCards(sentencesFrom(undefined), cards),
    () => ({ ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' }),
    { onCard: (id) => ids.push(id) },
  )
  await sayThem(services, ids, owner.userId, judges)
  const before = process.cpuUsage()
  const started = performance.now()
  await refreshAllTrust(contextFor(services), new AbortController().signal)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  console.log(
    `${cards} cards with ${verdicts} verdicts: ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of processor time`,
  )
  const rows = await services.database.read
    .selectFrom('cards')
    .select(['trust', 'seen_since'])
    .limit(5000)
    .execute()
  const reading = process.cpuUsage()
  for (const row of rows) {
    const stored = storedTrust(row)
    if (stored) trustSummary(stored, services.now())
  }
  const spent = process.cpuUsage(reading)
  const each = (spent.user + spent.system) / rows.length / 1000
  console.log(`reading the trust of ${HITS_OF_A_SEARCH} hits: ${(each * HITS_OF_A_SEARCH).toFixed(3)} ms`)
} finally {
  await vault.destroy()
}
