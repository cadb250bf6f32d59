import { parseArgs } from 'node:util'
import type { App } from '../src/app.ts'
import { PUBLIC_LIBRARY_ID } from '../src/db/public-library.ts'
import { OPERATIONS, type Operation } from './contention/operations.ts'
import { fill } from './memory/fill.ts'
import { remixedCards, sentencesFrom } from './search/cards.ts'
import { loadCards } from './search/load.ts'
import { type Account, openVault, register } from './search/vault.ts'
import { report } from './support/report.ts'
import { vacuumAnalyze } from './support/vacuum.ts'

/**
 * How often transactions on PostgreSQL have to run again: every write capability from 16 clients, on objects of their own and
 * all on one, in a young vault and in one that has grown. Retries are counted, so a busy machine does not matter.
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, young: { type: 'boolean', default: false } },
})
const CLIENTS = 16
const ROUNDS = Number(process.env.CONTENTION_ROUNDS ?? 6)
const GROWN = Number(process.env.CARDS ?? 20_000)
/** The bar: retries per commit when every client writes only its own objects. */
const BAR = 0.01

type Counts = { commits: number; retries: number; failures: number }
type Cell = Counts & { operation: string; objects: 'own' | 'one'; vault: 'young' | 'grown' }

const vault = await openVault('postgres')
const { app } = vault
const counts: Counts = { commits: 0, retries: 0, failures: 0 }
countTransactions(app, counts)

/** A transaction whose work begins a second time was refused by the database the first time. */
function countTransactions({ services: { database } }: App, counts: Counts): void {
  const { transaction } = database
  database.transaction = async (work, options) => {
    let tries = 0
    const result = await transaction((tx) => {
      if (tries++ > 0) counts.retries++
      return work(tx)
    }, options)
    counts.commits++
    return result
  }
}

const ask =
  (account: Account) =>
  async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload: object = {}) => {
    const answer = await app.server.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${account.token}` },
      payload,
    })
    if (answer.statusCode >= 500) counts.failures++
    return answer.statusCode === 204 ? {} : answer.json()
  }

/** Each client does its share, one request after the other, all clients at once. */
async function measure(
  operation: Operation,
  accounts: readonly Account[],
  objects: Cell['objects'],
  vault: Cell['vault'],
): Promise<Cell> {
  const [first] = accounts as [Account]
  // Only the owner may write the one object, so all clients act as its owner.
  const clients = objects === 'own' ? accounts : accounts.map(() => first)
  const shared = objects === 'one' ? await operation.prepare(ask(first), 'one') : undefined
  const targets: string[] = []
  for (const [n, account] of clients.entries())
    targets.push(shared ?? (await operation.prepare(ask(account), `${n}`)))
  Object.assign(counts, { commits: 0, retries: 0, failures: 0 })
  await Promise.all(
    clients.map(async (account, client) => {
      for (let round = 0; round < ROUNDS; round++)
        await operation.act(ask(account), targets[client] as string, `${vault}-${objects}-${client}-${round}`)
    }),
  )
  return { operation: operation.name, objects, vault, ...counts }
}

const accounts: Account[] = []
for (let n = 0; n < CLIENTS; n++) accounts.push(await register(app, `client${n}`))
const operations = OPERATIONS.filter(({ name }) => !values.only || name.includes(values.only))
const cells: Cell[] = []

async function measureAll(vault: Cell['vault']): Promise<void> {
  for (const operation of operations)
    for (const objects of ['own', 'one'] as const) {
      const cell = await measure(operation, accounts, objects, vault)
      cells.push(cell)
      const { commits, retries, failures } = cell
      console.log(
        `${vault}, ${operation.name}, ${objects === 'own' ? 'own objects' : 'one object'}: ${commits} commits, ${retries} retries, ${failures} failures`,
      )
    }
}

await measureAll('young')
if (!values.young) {
  const [owner] = accounts as [Account]
  const target = { ownerId: owner.userId, workspaceId: PUBLIC_LIBRARY_ID, status: 'published' as const }
  await loadCards(app.services, remixedCards(sentencesFrom(undefined), GROWN), () => target)
  await fill(app, owner, 'bench/grown', GROWN)
  await vacuumAnalyze(app)
  await measureAll('grown')
}
await vault.destroy()

const perCommit = ({ retries, commits }: Counts) => retries / Math.max(1, commits)
const worst = (some: readonly Cell[]) => some.toSorted((a, b) => perCommit(b) - perCommit(a))[0]
const describe = (cell: Cell | undefined) =>
  cell ? `${perCommit(cell).toFixed(3)} (${cell.operation}, ${cell.vault})` : 'nothing measured'
const own = worst(cells.filter(({ objects }) => objects === 'own'))
const failures = cells.reduce((sum, cell) => sum + cell.failures, 0)
const missed = cells.filter((cell) => cell.objects === 'own' && perCommit(cell) > BAR)
report([
  {
    what: `retries per commit, ${CLIENTS} clients on objects of their own, the worst of ${operations.length} writes`,
    measured: describe(own),
    bar: `at most ${BAR}`,
    met: missed.length === 0,
  },
  {
    what: `retries per commit, ${CLIENTS} clients on one object, the worst`,
    measured: describe(worst(cells.filter(({ objects }) => objects === 'one'))),
  },
  { what: 'answers with 5xx', measured: `${failures}`, bar: 'none', met: failures === 0 },
])
for (const cell of missed) console.log(`MISSED ${describe(cell)}`)
if (missed.length > 0 || failures > 0) process.exitCode = 1
