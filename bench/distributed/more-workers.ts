import { run } from '../../test/support/cluster.ts'
import { drive, median } from '../support/load.ts'
import { startVault } from '../support/servers.ts'
import { limitTo } from '../support/share.ts'
import { copyVault, makeDistributed, type Servers, startServers } from './databases.ts'
import { kindsFor } from './measure.ts'

const MOST_WORKERS = 4
const FEWEST_WORKERS = 2
const SECONDS = 6
const ROUNDS = 3
/** Few, because a service that waits for slow workers turns others away. */
const CONNECTIONS = 3
const REQUESTS = 200

/** A worker has shards or waits without any. */
async function spreadOver(cluster: Servers, workers: number): Promise<void> {
  const { rows } = await run(
    cluster.url,
    "select nodename, nodeport from pg_dist_node where groupid > 0 and noderole = 'primary' order by nodeport",
  )
  for (const [i, { nodename, nodeport }] of rows.entries())
    await run(
      cluster.url,
      `select citus_set_node_property('${nodename}', ${nodeport}, 'shouldhaveshards', ${i < workers})`,
    )
}

export type Throughput = { workers: number; searchesPerSecond: number; isLimited: boolean }

/** Searches a second when shards move from two workers to three and four, each with the same small share of a core. */
export async function moreWorkers(
  folder: string,
  source: string,
  env: Record<string, string>,
  share: number,
): Promise<Throughput[]> {
  const cluster = startServers(folder, MOST_WORKERS)
  const limits = cluster.mains.slice(1).map((main) => limitTo(1, main))
  try {
    await makeDistributed(cluster.url, () => spreadOver(cluster, FEWEST_WORKERS))
    await copyVault(source, cluster.url)
    const measured: Throughput[] = []
    for (let workers = FEWEST_WORKERS; workers <= MOST_WORKERS; workers++) {
      await spreadOver(cluster, workers)
      await run(cluster.url, "select rebalance_table_shards(shard_transfer_mode => 'block_writes')")
      for (const limit of limits) limit?.change(share)
      measured.push({
        workers,
        isLimited: limits.every((limit) => limit !== undefined),
        searchesPerSecond: await searches(cluster.url, env),
      })
      // Moving shards may take all of a core.
      for (const limit of limits) limit?.change(1)
    }
    return measured
  } finally {
    cluster.stop()
    for (const limit of limits) limit?.remove()
  }
}

async function searches(database: string, env: Record<string, string>): Promise<number> {
  const server = await startVault({ ...env, DATABASE_URL: database, DATABASE_DISTRIBUTED: 'citus' })
  try {
    const search = (await kindsFor(database, server.url))['search the library']
    const requests = Array.from({ length: REQUESTS }, (_, n) => search?.(n) ?? { path: '/' })
    const rates: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const load = await drive(server.url, requests, SECONDS, { connections: CONNECTIONS })
      if (load.failures > 0) throw new Error(`${load.failures} searches failed`)
      // The first fills the caches.
      if (round > 0) rates.push(load.requestsPerSecond)
    }
    return median(rates)
  } finally {
    await server.stop()
  }
}
