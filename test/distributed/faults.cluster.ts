import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { type KillSite, killAgainAndAgain } from '../faults/kill.ts'
import { type ClusterNode, run, startCluster } from '../support/cluster.ts'

const MOVES = `
  select shardid, source.nodename as from_name, source.nodeport as from_port, target.nodename as to_name, target.nodeport as to_port
  from citus_shards source
  join pg_dist_node target on target.groupid <> 0 and (target.nodename, target.nodeport) <> (source.nodename, source.nodeport)
  where source.table_name = 'cards'::regclass order by random() limit 1`

/** A cluster of its own, whose servers crash in turn, and whose shards move while it is written to. */
async function onCluster(): Promise<KillSite> {
  const cluster = startCluster()
  // Laid out beforehand: on a busy machine that takes longer than a start may.
  const database = openPostgres({ url: cluster.url, isDistributed: true, poolSize: 1, onIdleError: () => {} })
  await migrate(database)
  await database.close()
  const crash = (node: ClusterNode) => async () => {
    cluster.crash(node)
    await sleep(200)
    cluster.start(node)
  }
  const move = async () => {
    const { rows } = await run(cluster.url, MOVES)
    const [shard] = rows
    await run(
      cluster.url,
      `select citus_move_shard_placement(${shard.shardid}, '${shard.from_name}', ${shard.from_port}, '${shard.to_name}', ${shard.to_port})`,
    )
  }
  return {
    env: { DATABASE_URL: cluster.url, DATABASE_DISTRIBUTED: 'citus', DATABASE_POOL_SIZE: '5' },
    ways: { 'a worker': crash('worker1'), 'the coordinator': crash('coordinator'), 'a moved shard': move },
    destroy: async () => cluster.destroy(),
  }
}

test('nothing acknowledged is lost on a cluster when programs and servers are killed and shards move', async () => {
  const { kills } = await killAgainAndAgain(await onCluster(), 10)
  expect(kills).toEqual({
    'whole program': 2,
    worker: 2,
    'a worker': 2,
    'the coordinator': 2,
    'a moved shard': 2,
  })
}, 1_800_000)
