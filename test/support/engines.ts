import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Logger } from 'pino'
import pino from 'pino'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { type App, buildApp, type KeptServer } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { EngineName } from '../../src/db/db.ts'
import { argon2id } from '../../src/features/identity/passwords.ts'
import { type Client, clientOf } from './client.ts'
import { copyOnCluster, dropOnCluster, makeOnCluster } from './cluster.ts'
import { fastFolder } from './fast-folder.ts'
import { vaultOfFile } from './vaults-of-file.ts'

export type TestEnv = Record<string, string>

/** Thousands of people register in the tests; with the usual work that alone would take minutes. */
export const QUICK_HASHING = argon2id({ memoryCost: 64, timeCost: 1 })

/** A vault of its own on one engine: SQLite in a temporary folder, or a new PostgreSQL database. */
export type Vault = {
  engine: EngineName
  env: TestEnv
  dataDir: string
  remove: () => Promise<void>
}

/** One connection for all vaults of the process: a new one costs the server a tenth of a copy. */
let administrator: pg.Pool | undefined

function connectAdministrator(): pg.Pool {
  const connectionString = inject('postgresUrl')
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // At the end the server may go before this process does.
  pool.on('error', () => {})
  return pool
}

async function administer(statement: string): Promise<void> {
  administrator ??= connectAdministrator()
  await administrator.query(statement)
}

/** Its tables are copied, which takes less than to make them; `isEmpty` leaves that to the test. */
export async function makeVault(
  engine: EngineName,
  env: TestEnv = {},
  { isEmpty = false } = {},
): Promise<Vault> {
  const dataDir = mkdtempSync(join(fastFolder(), 'knowledge-vault-test-'))
  const common = { DATA_DIR: dataDir, LOG_LEVEL: 'silent', RATE_LIMIT: 'off', ...env }
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') {
    if (!isEmpty) copyFileSync(inject('templateFile'), join(dataDir, 'vault.db'))
    return { engine, env: common, dataDir, remove: async () => removeFolder() }
  }
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const onCluster = inject('onCluster')
  const template = isEmpty ? 'template0' : inject('templateDatabase')
  if (!onCluster)
    await administer(`create database ${name} encoding 'UTF8' template ${template} strategy file_copy`)
  else if (isEmpty) await makeOnCluster(inject('postgresUrl'), name)
  else await copyOnCluster(inject('postgresUrl'), template, name)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return {
    engine,
    env: { DATABASE_URL: url.href, ...(onCluster ? { DATABASE_DISTRIBUTED: 'citus' } : {}), ...common },
    dataDir,
    remove: async () => {
      if (onCluster) await dropOnCluster(inject('postgresUrl'), name)
      else await administer(`drop database if exists ${name} with (force)`)
      removeFolder()
    },
  }
}

type IdleServer = { settings: string; kept: KeptServer }

/** Servers of vaults that are gone, the newest last: the next vault with the same settings gets one. */
const idleServers: IdleServer[] = []
const MAX_IDLE = 8

function takeServer(env: TestEnv): KeptServer | undefined {
  const settings = JSON.stringify(env)
  const at = idleServers.findLastIndex((idle) => idle.settings === settings)
  return at < 0 ? undefined : idleServers.splice(at, 1)[0]?.kept
}

async function keepServer(env: TestEnv, kept: KeptServer): Promise<void> {
  idleServers.push({ settings: JSON.stringify(env), kept })
  if (idleServers.length > MAX_IDLE) await idleServers.shift()?.kept.server.close()
}

/** What a test gets: the running app of its engine, moving time if it wants, and people to act as. */
export class TestVault {
  readonly engine: EngineName
  readonly #env: TestEnv
  #vault: Vault | undefined
  #app: App | undefined
  #mayKeep = true
  #offsetMs = 0
  #people = 0

  constructor(engine: EngineName, env: TestEnv) {
    this.engine = engine
    this.#env = env
  }

  get app(): App {
    if (!this.#app) throw new Error('The app is not up yet: use it inside tests and hooks')
    return this.#app
  }

  get vault(): Vault {
    if (!this.#vault) throw new Error('The vault is not made yet: use it inside tests and hooks')
    return this.#vault
  }

  /** Does nothing if it is up already. A server has the log that it is made with, so one with a log is not kept. */
  async up(log?: Logger): Promise<void> {
    if (this.#app) return
    this.#mayKeep = log === undefined
    this.#vault = await makeVault(this.engine, this.#env)
    this.#app = await buildApp(readConfig(this.#vault.env), {
      log: log ?? pino({ level: 'silent' }),
      now: () => new Date(Date.now() + this.#offsetMs),
      shedding: false,
      passwordHashing: QUICK_HASHING,
      kept: this.#mayKeep ? takeServer(this.#env) : undefined,
    })
  }

  async down(): Promise<void> {
    if (this.#app && this.#mayKeep && !this.#app.server.server.listening) {
      await this.#app.closeData()
      await keepServer(this.#env, this.#app)
    } else await this.#app?.close()
    await this.#vault?.remove()
  }

  /** Moves the app's clock forward. */
  later(ms: number): void {
    this.#offsetMs += ms
  }

  anonymous(): Client {
    return clientOf(this.app, {})
  }

  /** Registers somebody new and acts with their session. */
  async user(
    name = 'person',
  ): Promise<Client & { userId: string; email: string; token: string; workspaceId: string }> {
    const email = `${name}-${++this.#people}@example.com`
    const answer = await this.anonymous().post('/api/v1/auth/register', {
      email,
      password: 'correct horse battery',
      display_name: name,
    })
    if (answer.status !== 201) throw new Error(`register: ${answer.status} ${JSON.stringify(answer.body)}`)
    const token: string = answer.body.access_token
    return {
      ...clientOf(this.app, { authorization: `Bearer ${token}` }),
      userId: answer.body.user.user_id,
      workspaceId: answer.body.user.personal_workspace_id,
      email,
      token,
    }
  }
}

/**
 * Runs the same tests on SQLite and on a real PostgreSQL. All of a file that name no settings share one vault for each
 * engine, one after another: each makes its own people. Settings, also `{}`, give a vault of its own.
 */
export function onBothEngines(what: string, define: (t: TestVault) => void, env?: TestEnv): void {
  for (const engine of ['sqlite', 'postgres'] as const)
    describe(`${what} on ${engine}`, () => {
      const vault = env ? new TestVault(engine, env) : vaultOfFile(engine, () => new TestVault(engine, {}))
      beforeAll(() => vault.up())
      if (env) afterAll(() => vault.down())
      define(vault)
    })
}
