import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { capabilities } from '../../src/capabilities.ts'
import { contextFor } from '../../src/core/context.ts'
import { changeState } from '../../src/embeddings/state.ts'
import { startEmbeddingsStandIn } from '../support/embeddings-stand-in.ts'
import { TestVault } from '../support/engines.ts'
import { NOT_PLAYED, REACHED_EVERYWHERE, tablesReachedEverywhere } from './distribution.ts'
import { playEverything } from './everything.ts'

const running = new AsyncLocalStorage<string>()
const played = new Set<string>()
/** Per table: which capabilities reach it in all shards. */
const everywhere = new Map<string, Set<string>>()

const model = await startEmbeddingsStandIn()
const bench = new TestVault('postgres', { EMBEDDINGS_URL: model.url, EMBEDDINGS_WAIT_MS: '2000' })

/** Wraps each capability; what it returns takes the wraps off, since other files of this process come after. */
function noteWhatRuns(): () => void {
  const runs = capabilities.map((capability) => capability.run)
  for (const capability of capabilities) {
    const { name, run } = capability
    capability.run = (ctx, input, prepared) => {
      played.add(name)
      return running.run(name, () => run(ctx, input, prepared))
    }
  }
  return () => {
    for (const [at, capability] of capabilities.entries()) capability.run = runs[at] as typeof capability.run
  }
}

let stopNoting = () => {}

beforeAll(async () => {
  stopNoting = noteWhatRuns()
  const query = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [sent] = args as [string | { text?: string }]
    const text = typeof sent === 'string' ? sent : sent.text
    const by = running.getStore()
    if (text !== undefined && by !== undefined)
      for (const table of tablesReachedEverywhere(text))
        everywhere.set(table, (everywhere.get(table) ?? new Set()).add(by))
    return Reflect.apply(query, this, args)
  } as never)
  // With a log of its own its server is nobody else's.
  await bench.up(pino({ level: 'silent' }))
  const made = { model: bench.app.services.config.embeddings?.model ?? '', dimensions: model.dimensions }
  await changeState(contextFor(bench.app.services), made)
  await playEverything(bench)
})

afterAll(async () => {
  vi.restoreAllMocks()
  stopNoting()
  await bench.down()
  await model.close()
})

test('the queries that reach every shard are these, each for a reason, and no others', () => {
  const found = Object.fromEntries([...everywhere].map(([table, by]) => [table, [...by].sort()]))
  const known = Object.fromEntries(Object.entries(REACHED_EVERYWHERE).map(([table, { by }]) => [table, by]))
  expect(found).toEqual(known)
})

test('nearly everything was played', () => {
  const missing = capabilities.map(({ name }) => name).filter((name) => !played.has(name))
  expect(missing.sort()).toEqual(NOT_PLAYED)
})

test('a statement is bound to its shard by its column, not by a join on it', () => {
  const at = (text: string) => tablesReachedEverywhere(text)
  expect(at('select * from "cards" where "cards"."card_id" = $1')).toEqual([])
  expect(at('select * from "cards" where "card_id" in ($1, $2)')).toEqual([])
  expect(at('insert into "cards" ("card_id", "title") values ($1, $2)')).toEqual([])
  expect(at('select 1 from "cards" join "card_tags" on "card_tags"."card_id" = "cards"."card_id"')).toEqual([
    'cards',
    'card_tags',
  ])
  expect(at('select * from "workspaces" where "name" = $1')).toEqual([])
})
