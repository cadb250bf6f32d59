import pino from 'pino'
import { type App, type BuildOptions, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Client, clientOf } from './client.ts'
import { makeVault, QUICK_HASHING, type TestEnv } from './engines.ts'
import { freePort } from './postgres.ts'

export type LiveVault = { app: App; url: string; dataDir: string; close: () => Promise<void> }

/** A vault on SQLite that listens on a free loopback port, for clients that need a real address. */
export async function liveVault(env: TestEnv = {}, options: BuildOptions = {}): Promise<LiveVault> {
  const vault = await makeVault('sqlite', env)
  // The base URL must be known before the app is built, so the port is chosen first.
  const port = await freePort()
  const config = readConfig({ ...vault.env, PORT: String(port) })
  const app = await buildApp(config, {
    log: pino({ level: 'silent' }),
    passwordHashing: QUICK_HASHING,
    ...options,
    // Clients keep their connections, and each stop would wait for what may come on them.
    timeouts: { drainMs: 0, ...options.timeouts },
  })
  await app.server.listen({ host: config.host, port })
  return {
    app,
    url: config.baseUrl,
    dataDir: vault.dataDir,
    close: async () => {
      await app.close()
      await vault.remove()
    },
  }
}

export type Person = Client & { token: string; userId: string; email: string; password: string }

export async function registerPerson(vault: LiveVault, email = 'dev@example.com'): Promise<Person> {
  const password = 'correct horse battery'
  const answer = await clientOf(vault.app, {}).post('/api/v1/auth/register', { email, password })
  if (answer.status !== 201) throw new Error(`register: ${answer.status} ${answer.text}`)
  const token: string = answer.body.access_token
  const client = clientOf(vault.app, { authorization: `Bearer ${token}` })
  return { ...client, token, userId: answer.body.user.user_id, email, password }
}

export async function apiKeyOf(person: Client, scopes?: string[]): Promise<string> {
  const answer = await person.post('/api/v1/auth/api-keys', { name: 'test', ...(scopes ? { scopes } : {}) })
  if (answer.status !== 201) throw new Error(`api-keys: ${answer.status} ${answer.text}`)
  return answer.body.api_key
}
