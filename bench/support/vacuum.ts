import pg from 'pg'
import type { App } from '../../src/app.ts'

/** For a filled vault on PostgreSQL. By a connection of its own, because the service ends a statement after 25 s. */
export async function vacuumAnalyze({ services }: App): Promise<void> {
  const { databaseUrl } = services.config
  if (databaseUrl === undefined) return
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
