import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../test/support/client.ts'
import { startEmbeddingsStandIn } from '../../test/support/embeddings-stand-in.ts'
import { QUICK_HASHING } from '../../test/support/engines.ts'
import { fastFolder } from '../../test/support/fast-folder.ts'
import { freePort } from '../../test/support/postgres.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { contextFor } from '../core/context.ts'
import { cardVectors } from '../features/search/index.ts'
import { forgetPgvector, hasPgvector } from './pgvector.ts'
import { makeVectors } from './queue.ts'

/** PostgreSQL as WebAssembly: the one here that comes with pgvector. It has one connection for all. */
let [database, server, app]: [PGlite?, PGLiteSocketServer?, App?] = []
let model: Awaited<ReturnType<typeof startEmbeddingsStandIn>>
const folder = mkdtempSync(join(fastFolder(), 'knowledge-vault-pgvector-'))

beforeAll(async () => {
  model = await startEmbeddingsStandIn()
  database = await PGlite.create({ extensions: { vector } })
  const port = await freePort()
  server = new PGLiteSocketServer({ db: database, port, host: '127.0.0.1', maxConnections: 10 })
  await server.start()
  const config = readConfig({
    DATA_DIR: folder,
    DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres`,
    DATABASE_POOL_SIZE: '1',
    EMBEDDINGS_URL: model.url,
    EMBEDDINGS_WAIT_MS: '5000',
    RATE_LIMIT: 'off',
  })
  app = await buildApp(config, {
    log: pino({ level: 'silent' }),
    jobs: [],
    shedding: false,
    passwordHashing: QUICK_HASHING,
  })
}, 120_000)

afterAll(async () => {
  await app?.close()
  await server?.stop()
  await database?.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

const FILLED = 'select card_id from search_vectors where embedding is not null'

test('vectors are compared by pgvector once the extension is there', async () => {
  if (!app || !database) throw new Error('not started')
  const { services } = app
  const settle = () => makeVectors(contextFor(services), [cardVectors], new AbortController().signal)
  const password = 'correct horse battery'
  const registered = await clientOf(app, {}).post('/api/v1/auth/register', {
    email: 'dev@example.com',
    password,
  })
  const person = clientOf(app, { authorization: `Bearer ${registered.body.access_token}` })
  const made: string[] = []
  for (const [title, symptom] of [
    ['Heap swelling', 'oom heap'],
    ['Volume full', 'disk space'],
  ]) {
    const card = await person.post('/api/v1/cards', { title, symptom, fix_summary: symptom })
    expect(card.status, card.text).toBe(201)
    made.push(card.body.card_id)
  }
  const found = async (query: string) => {
    const { body } = await person.post('/api/v1/search', { query, limit: 1 })
    return [body.semantic, body.results[0]?.card_id]
  }

  const filled = async () => (await database?.query(FILLED))?.rows
  await settle()
  expect(await filled()).toHaveLength(2)
  expect(await hasPgvector(contextFor(services))).toBe(true)
  expect(await found('memory')).toEqual([true, made[0]])
  expect(await found('volume of space')).toEqual([true, made[1]])

  // Without the extension the same vectors are compared in the process.
  await database.exec('drop extension vector cascade')
  expect(await found('memory')).toEqual([true, made[0]])
  expect(await hasPgvector(contextFor(services))).toBe(false)

  // It appears again, and what is there already gets its column.
  const late = await person.post('/api/v1/cards', {
    title: 'Login',
    symptom: 'credentials',
    fix_summary: 'login',
  })
  await settle()
  expect(await filled()).toHaveLength(3)
  forgetPgvector(services.database)
  expect(await hasPgvector(contextFor(services))).toBe(true)
  expect(await found('password')).toEqual([true, late.body.card_id])

  // A vector that is made anew replaces both forms.
  const before = await database.query(
    'select embedding::text as numbers from search_vectors where card_id = $1',
    [late.body.card_id],
  )
  await person.patch(`/api/v1/cards/${late.body.card_id}`, {
    title: 'Slow timeout',
    symptom: 'hanging',
    fix_summary: 'waits',
  })
  await settle()
  const after = await database.query(
    'select embedding::text as numbers from search_vectors where card_id = $1',
    [late.body.card_id],
  )
  expect(after.rows).not.toEqual(before.rows)
  expect(await found('timeout')).toEqual([true, late.body.card_id])
})
