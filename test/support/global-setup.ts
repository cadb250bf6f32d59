import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { openSqlite } from '../../src/db/sqlite/sqlite.ts'
import { buildProgram } from './build-program.ts'
import { fastFolder } from './fast-folder.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    templateDatabase: string
    /** Whether that PostgreSQL is the coordinator of a Citus cluster (npm run test:distributed). */
    onCluster: boolean
    templateFile: string
  }
}

const TEMPLATE = 'vault_template'

async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${TEMPLATE}`)
  await client.query(`create database ${TEMPLATE} encoding 'UTF8' template template0`)
  await client.end()
  const target = new URL(url)
  target.pathname = `/${TEMPLATE}`
  const database = openPostgres({ url: target.href, poolSize: 1, onIdleError: () => {} })
  await migrate(database)
  await database.close()
}

export async function makeTemplateFile(folder: string): Promise<string> {
  const file = join(folder, 'vault.db')
  const database = openSqlite(file)
  await migrate(database)
  await database.close()
  return file
}

// Speed only: these tests do not crash the server. The fault tests start their own.
const startFastPostgres = () =>
  startPostgres({
    folder: fastFolder(),
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' },
  })

/** One PostgreSQL for all test files; each vault gets a database of its own, copied from a migrated one, on either engine. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-template-'))
  const [server, templateFile] = await Promise.all([
    given ? undefined : startFastPostgres(),
    makeTemplateFile(folder),
    buildProgram(),
  ])
  const url = given ?? server?.socketUrl() ?? ''
  await makeTemplate(url)
  project.provide('postgresUrl', url)
  project.provide('templateDatabase', TEMPLATE)
  project.provide('onCluster', false)
  project.provide('templateFile', templateFile)
  return async () => {
    rmSync(folder, { recursive: true, force: true })
    await server?.destroy()
  }
}
