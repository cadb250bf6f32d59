import type { App } from '../../src/app.ts'
import { newId } from '../../src/db/ids.ts'
import { eventNumber } from '../../src/features/memory/events.search.ts'
import { insertEvent, searchTextOf } from '../../src/features/memory/events.store.ts'
import { readProjectKey } from '../../src/features/memory/project-key.ts'
import { insertProject } from '../../src/features/memory/projects.store.ts'

const BATCH = 5000

/** A repeatable source of numbers, so that two runs search the same texts. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export const next = numbers(7)
const pick = (from: readonly string[]) => from[Math.floor(next() * from.length)] as string
const onsets =
  'b c d f g h j k l m n p r s t v w bl br ch cl cr dr fl fr gr pl pr sc sh sl sp st str th tr'.split(' ')
const vowels = 'a e i o u ai ea ee io oa ou y'.split(' ')
const codas = [
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
const syllable = () => pick(onsets) + pick(vowels) + pick(codas)
const vocabulary = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 1 + Math.floor(next() * 3) }, syllable).join(''),
)
/** Few words are common and many are rare, as in real text. */
const word = () => vocabulary[Math.floor(vocabulary.length * next() ** 3)] as string
export const sentence = (words: number) => Array.from({ length: words }, word).join(' ')

export type Owner = { userId: string; workspaceId: string }

/** Writes events of one project as the product does, index and all, many to a transaction. */
export async function fill(app: App, owner: Owner, key: string, events: number): Promise<void> {
  const { database } = app.services
  const start = Date.UTC(2026, 0, 1)
  const project = await database.transaction((db) =>
    insertProject(db, owner, readProjectKey(key), new Date(start).toISOString()),
  )
  const { partition_no } = await database.read
    .selectFrom('context_partitions')
    .select('partition_no')
    .where('project_id', '=', project.project_id)
    .executeTakeFirstOrThrow()
  for (let done = 0; done < events; done += BATCH) {
    await database.transaction(async (db) => {
      for (let index = done + 1; index <= Math.min(events, done + BATCH); index += 1) {
        const content = sentence(60)
        const title = index % 5 === 0 ? sentence(5) : null
        await insertEvent(db, database.engine, {
          event_no: eventNumber(partition_no, index),
          raw_id: newId(),
          user_id: owner.userId,
          project_id: project.project_id,
          workspace_id: owner.workspaceId,
          event_type: index % 50 === 0 ? 'summary' : 'turn',
          slot: index % 50 === 0 ? 'summary' : 'recent',
          created_at: new Date(start + index * 1000).toISOString(),
          title,
          session_id: null,
          client: 'bench',
          meta: null,
          redactions: '[]',
          content,
          search_text: searchTextOf(title, content),
        })
      }
      await db
        .updateTable('context_partitions')
        .set({ last_seq: Math.min(events, done + BATCH) })
        .where('partition_no', '=', partition_no)
        .execute()
    })
    process.stderr.write(`\r${key}: ${Math.min(events, done + BATCH)} of ${events} events   `)
  }
  process.stderr.write('\n')
}
