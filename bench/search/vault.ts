import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { EngineName } from '../../src/db/db.ts'
import { startPostgres } from '../../test/support/postgres.ts'

export type BenchVault = { app: App; dataDir: string; destroy: () => Promise<void> }

/** A vault of its own for a measurement: a temporary folder, and a PostgreSQL where that is asked for. */
export async function openVault(engine: EngineName): Promise<BenchVault> {
  const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
  const postgres =
    engine === 'postgres'
      ? await startPostgres({
          settings: { shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '30min' },
        })
      : undefined
  const app = await buildApp(
    readConfig({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      RATE_LIMIT: 'off',
      CREDITS: 'off',
      ...(postgres ? { DATABASE_URL: postgres.url() } : {}),
    }),
  )
  return {
    app,
    dataDir,
    destroy: async () => {
      await app.close()
      await postgres?.destroy()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type Account = { userId: string; workspaceId: string; token: string }

export async function register(app: App, name: string): Promise<Account> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: { email: `${name}@example.com`, password: 'correct horse battery', display_name: name },
  })
  const { access_token, user } = answer.json()
  return { userId: user.user_id, workspaceId: user.personal_workspace_id, token: access_token }
}
