import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { EngineName } from '../../src/db/db.ts'
import { PUBLIC_LIBRARY_ID } from '../../src/db/public-library.ts'
import { type PostgresServer, startPostgres } from '../../test/support/postgres.ts'
import { fill, withoutIndexes } from '../memory/fill.ts'
import { remixedCards, sentencesFrom } from '../search/cards.ts'
import { loadCards } from '../search/load.ts'
import { register } from '../search/vault.ts'
import { bytesIn } from './files.ts'
import { vacuumAnalyze } from './vacuum.ts'

const EVENTS_PER_PROJECT = 100_000

export type Filled = {
  /** The environment of a server process for this vault. */
  env: Record<string, string>
  headers: Record<string, string>
  cardId: string
  diskBytes: number
  /** Where the engine keeps its files. */
  files: string
  remove: () => Promise<void>
}

/** What is needed to serve a kept vault again. */
type Known = Pick<Filled, 'headers' | 'cardId' | 'diskBytes'>
type Noted = Known & { postgresDataDir: string | undefined }

const SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '200' }

const environment = (dataDir: string, server: PostgresServer | undefined) => ({
  DATA_DIR: dataDir,
  LOG_LEVEL: 'error',
  RATE_LIMIT: 'off',
  CREDITS: 'off',
  ...(server ? { DATABASE_URL: server.url() } : {}),
})

/**
 * A vault on disk with cards (half of them public) and events, not served yet. With `keep` it stays in that folder and is
 * used again the next time, because filling one with a million takes minutes.
 */
export async function filledVault(
  engine: EngineName,
  cards: number,
  events: number,
  keep?: string,
): Promise<Filled> {
  if (!keep) {
    const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
    const server = engine === 'postgres' ? await startPostgres({ settings: SETTINGS }) : undefined
    const remove = async () => {
      await server?.destroy()
      rmSync(dataDir, { recursive: true, force: true })
    }
    return {
      ...(await fillVault(dataDir, server, cards, events)),
      env: environment(dataDir, server),
      files: server?.dataDir ?? dataDir,
      remove,
    }
  }
  const dataDir = join(keep, `${engine}-${cards}-${events}`)
  const note = join(dataDir, 'filled.json')
  const noted: Noted | undefined = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')) : undefined
  mkdirSync(dataDir, { recursive: true })
  // The database server runs as another user.
  chmodSync(dataDir, 0o755)
  const server =
    engine === 'postgres'
      ? await startPostgres({
          settings: SETTINGS,
          folder: dataDir,
          ...(noted?.postgresDataDir ? { dataDir: noted.postgresDataDir } : {}),
        })
      : undefined
  const filled = noted ?? (await fillVault(dataDir, server, cards, events))
  if (!noted) writeFileSync(note, JSON.stringify({ ...filled, postgresDataDir: server?.dataDir }))
  return {
    ...filled,
    env: environment(dataDir, server),
    files: server?.dataDir ?? dataDir,
    remove: async () => server?.stop(),
  }
}

async function fillVault(
  dataDir: string,
  server: PostgresServer | undefined,
  cards: number,
  events: number,
): Promise<Known> {
  const app = await buildApp(readConfig(environment(dataDir, server)), { jobs: [] })
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
  await withoutIndexes(app, async () => {
    for (let project = 0; project * EVENTS_PER_PROJECT < events; project++)
      await fill(
        app,
        owner,
        `bench/project${project}`,
        Math.min(EVENTS_PER_PROJECT, events - project * EVENTS_PER_PROJECT),
      )
  })
  await vacuumAnalyze(app)
  const sizes = server
    ? await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(
        app.services.database.read,
      )
    : undefined
  await app.close()
  return {
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    cardId,
    diskBytes: sizes?.rows[0]?.size ?? bytesIn(dataDir),
  }
}
