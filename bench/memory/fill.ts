import { type RawBuilder, sql } from 'kysely'
import type { App } from '../../src/app.ts'
import { doAll } from '../../src/core/pieces.ts'
import type { Db, EngineName } from '../../src/db/db.ts'
import { newId } from '../../src/db/ids.ts'
import { insertRows } from '../../src/db/prepared.ts'
import { eventNumber, partitionOf } from '../../src/features/memory/events.search.ts'
import {
  type EventRow,
  insertEvent,
  recount,
  searchTextOf,
  termsOfEvent,
} from '../../src/features/memory/events.store.ts'
import { gramHashes, partitionHashes } from '../../src/features/memory/hashes.ts'
import { readProjectKey } from '../../src/features/memory/project-key.ts'
import { insertProject } from '../../src/features/memory/projects.store.ts'

const BATCH = 5000
const INDEXED_TOGETHER = 250
const START = Date.UTC(2026, 0, 1)

/** A repeatable random generator, so that two measurements search the same texts. */
export function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export const next = numbers(7)
const pick = (from: readonly string[]) => from[Math.floor(next() * from.length)] as string
const ONSETS =
  'b c d f g h j k l m n p r s t v w bl br ch cl cr dr fl fr gr pl pr sc sh sl sp st str th tr'.split(' ')
const VOWELS = 'a e i o u ai ea ee io oa ou y'.split(' ')
const CODAS = [
  '',
  '',
  '',
  'c',
  'ck',
  'ct',
  'd',
  'l',
  'm',
  'n',
  'nd',
  'ng',
  'nt',
  'p',
  'r',
  'rd',
  's',
  'ss',
  'st',
  't',
  'x',
]
const syllable = () => pick(ONSETS) + pick(VOWELS) + pick(CODAS)
const vocabulary = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 1 + Math.floor(next() * 3) }, syllable).join(''),
)
/** Few words are common and many are rare, as in real text. */
const word = () => vocabulary[Math.floor(vocabulary.length * next() ** 3)] as string
export const sentence = (words: number) => Array.from({ length: words }, word).join(' ')

export type Owner = { userId: string; workspaceId: string }

const WORDS_OF_EVENT = 60

function madeUp(
  owner: Owner,
  projectId: string,
  partition: number,
  sequence: number,
  words = WORDS_OF_EVENT,
): EventRow {
  const content = sentence(words)
  const title = sequence % 5 === 0 ? sentence(5) : null
  const isSummary = sequence % 50 === 0
  return {
    event_no: eventNumber(partition, sequence),
    raw_id: newId(),
    user_id: owner.userId,
    project_id: projectId,
    workspace_id: owner.workspaceId,
    event_type: isSummary ? 'summary' : 'turn',
    slot: isSummary ? 'summary' : 'recent',
    created_at: new Date(START + sequence * 1000).toISOString(),
    title,
    session_id: null,
    client: 'bench',
    meta: null,
    redactions: '[]',
    content,
    search_text: searchTextOf(title, content),
  }
}

/** Writes as the product does, including the index. */
async function writeEach(db: Db, engine: EngineName, rows: readonly EventRow[]): Promise<void> {
  for (const row of rows) await insertEvent(db, engine, row)
}

/** The same rows for PostgreSQL, many in a statement. */
async function writeTogether(db: Db, rows: readonly EventRow[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}) as (keyof EventRow)[]
  await insertRows(
    db,
    'context_events',
    columns,
    rows.map((row) => columns.map((column) => row[column])),
  )
  const indexed: RawBuilder<unknown>[] = []
  for (const row of rows) {
    const partition = partitionOf(row.event_no)
    const words = partitionHashes(doAll(termsOfEvent(row)).terms, partition)
    indexed.push(
      sql`(${row.user_id}, ${row.event_no}, ${gramHashes(row.search_text, partition)}::integer[], ${words}::integer[])`,
    )
  }
  for (let from = 0; from < indexed.length; from += INDEXED_TOGETHER)
    await sql`insert into context_event_index (user_id, event_no, grams, words)
      values ${sql.join(indexed.slice(from, from + INDEXED_TOGETHER))}`.execute(db)
  const [first] = rows
  if (first) await recount(db, first, rows.length)
}

type MakeEvent = (projectId: string, partition: number, position: number) => EventRow

/** Events of one project, many to a transaction. */
export async function fill(
  app: App,
  owner: Owner,
  key: string,
  events: number,
  words?: number,
): Promise<void> {
  await writeProject(app, owner, key, events, (projectId, partition, position) =>
    madeUp(owner, projectId, partition, position, words),
  )
}

/** Writes the texts as events of one project, a minute apart. Returns their ids in order. */
export async function fillWith(
  app: App,
  owner: Owner,
  key: string,
  texts: readonly { title: string | null; content: string }[],
): Promise<string[]> {
  const ids: string[] = []
  await writeProject(app, owner, key, texts.length, (projectId, partition, position) => {
    const { title, content } = texts[position - 1] as (typeof texts)[number]
    const row = madeUp(owner, projectId, partition, position)
    ids.push(row.raw_id)
    return {
      ...row,
      title,
      content,
      search_text: searchTextOf(title, content),
      event_type: 'turn',
      slot: 'recent',
    }
  })
  return ids
}

async function writeProject(
  app: App,
  owner: Owner,
  key: string,
  events: number,
  make: MakeEvent,
): Promise<void> {
  const { database } = app.services
  const project = await database.transaction((db) =>
    insertProject(db, owner, readProjectKey(key), new Date(START).toISOString()),
  )
  const { partition_no } = await database.read
    .selectFrom('context_partitions')
    .select('partition_no')
    .where('project_id', '=', project.project_id)
    .executeTakeFirstOrThrow()
  for (let done = 0; done < events; done += BATCH) {
    const last = Math.min(events, done + BATCH)
    const rows = Array.from({ length: last - done }, (_, i) =>
      make(project.project_id, partition_no, done + i + 1),
    )
    await database.transaction(async (db) => {
      if (database.engine === 'sqlite') await writeEach(db, database.engine, rows)
      else await writeTogether(db, rows)
      await db
        .updateTable('context_partitions')
        .set({ last_seq: last })
        .where('partition_no', '=', partition_no)
        .execute()
    })
    process.stderr.write(`\r${key}: ${last} of ${events} events   `)
  }
  process.stderr.write('\n')
}

const GIN_INDEXES = ['grams', 'words']

/**
 * PostgreSQL adds to a GIN index much more slowly than it builds one: a million events would take hours. So they are
 * written without the indexes, which are built afterwards.
 */
export async function withoutIndexes(app: App, write: () => Promise<void>): Promise<void> {
  const { database } = app.services
  const execute = (...statements: string[]) =>
    database.transaction(
      async (db) => {
        await sql`set local maintenance_work_mem = '2GB'`.execute(db)
        for (const statement of statements) await sql.raw(statement).execute(db)
      },
      { mayTakeLong: true },
    )
  if (database.engine === 'sqlite') return write()
  await execute(...GIN_INDEXES.map((name) => `drop index context_event_index_${name}`))
  await write()
  for (const name of GIN_INDEXES)
    await execute(`create index context_event_index_${name} on context_event_index using gin (${name})`)
}
