import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { EngineName } from '../../src/db/db.ts'
import { startPostgres } from '../../test/support/postgres.ts'

export type BenchVault = { app: App; dataDir: string; destroy: () => Promise<void> }

/**
 * A separate vault for a measurement: a temporary folder, and a PostgreSQL if asked for. A named folder is kept for the
 * next measurement.
 */
export async function openVault(engine: EngineName, kept?: string): Promise<BenchVault> {
  if (kept) mkdirSync(kept, { recursive: true })
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
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
    // No background jobs during a measurement. The loader maintains the index itself.
    { jobs: [], shedding: false },
  )
  return {
    app,
    dataDir,
    destroy: async () => {
      await app.close()
      await postgres?.destroy()
      if (!kept) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type Account = { userId: string; workspaceId: string; token: string }

type SignedIn = { access_token: string; user: { user_id: string; personal_workspace_id: string } }

const accountIn = ({ access_token, user }: SignedIn): Account => ({
  userId: user.user_id,
  workspaceId: user.personal_workspace_id,
  token: access_token,
})

export const PASSWORD = 'correct horse battery'

export async function register(app: App, name: string): Promise<Account> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    payload: { email: `${name}@example.com`, password: PASSWORD, display_name: name },
  })
  return accountIn(answer.json())
}

/** The account of an earlier measurement in a vault that was kept, or undefined. */
export async function signIn(app: App, name: string): Promise<Account | undefined> {
  const answer = await app.server.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    payload: { email: `${name}@example.com`, password: PASSWORD },
  })
  return answer.statusCode === 200 ? accountIn(answer.json()) : undefined
}
