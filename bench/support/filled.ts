import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { EngineName } from '../../src/db/db.ts'
import { PUBLIC_LIBRARY_ID } from '../../src/db/public-library.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { fill } from '../memory/fill.ts'
import { remixedCards, sentencesFrom } from '../search/cards.ts'
import { loadCards } from '../search/load.ts'
import { register } from '../search/vault.ts'

const EVENTS_PER_PROJECT = 100_000

export type Filled = {
  /** With which a server process serves this vault. */
  env: Record<string, string>
  headers: Record<string, string>
  cardId: string
  diskBytes: number
  remove: () => Promise<void>
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** A vault on disk with cards (half of them public) and events, and nobody serving it yet. */
export async function filledVault(engine: EngineName, cards: number, events: number): Promise<Filled> {
  const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
  const server =
    engine === 'postgres'
      ? await startPostgres({
          settings: { shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '200' },
        })
      : undefined
  const env = {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    RATE_LIMIT: 'off',
    CREDITS: 'off',
    ...(server ? { DATABASE_URL: server.url() } : {}),
  }
  const app = await buildApp(readConfig(env), { jobs: [] })
  const owner = await register(app, 'owner')
  let cardId = ''
  await loadCards(
    app.services,
    remixedCards(sentencesFrom(undefined), cards),
    (n) =>
      n % 2 === 0
        ? { ownerId: owner.userId, workspaceId: PUBLIC_LIBRARY_ID, status: 'published' }
        : { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' },
    { onCard: (id) => (cardId = id) },
  )
  for (let project = 0; project * EVENTS_PER_PROJECT < events; project++)
    await fill(
      app,
      owner,
      `bench/project${project}`,
      Math.min(EVENTS_PER_PROJECT, events - project * EVENTS_PER_PROJECT),
    )
  if (server) await sql`vacuum analyze`.execute(app.services.database.read)
  const sizes = server
    ? await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(
        app.services.database.read,
      )
    : undefined
  await app.close()
  return {
    env,
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    cardId,
    diskBytes: sizes?.rows[0]?.size ?? bytesIn(dataDir),
    remove: async () => {
      await server?.destroy()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
