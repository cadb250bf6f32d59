import { type Selectable, sql } from 'kysely'
import type { UserCtx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { ProjectCommitsTable, ProjectHistoriesTable } from '../../db/knowledge-schema.ts'
import { insertRows } from '../../db/prepared.ts'
import { fnv1a } from '../../text/term-hash.ts'
import { chargeText, freeText, storedTextBytes, textBytes } from '../storage/index.ts'
import type { ProjectRef } from './store.ts'

export type CommitRow = Selectable<ProjectCommitsTable>
export const textOfCommit = ({ subject, message }: Pick<CommitRow, 'subject' | 'message'>): string =>
  `${subject}\n${message}`

export type HistoryRow = Selectable<ProjectHistoriesTable>

export async function findHistory(
  db: Db,
  { user_id, project_id }: ProjectRef,
): Promise<HistoryRow | undefined> {
  return db
    .selectFrom('project_histories')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
}

const historyOf = async (db: Db, { user_id, project_id }: ProjectRef): Promise<HistoryRow> =>
  (await findHistory(db, { user_id, project_id })) ??
  (await db
    .insertInto('project_histories')
    .values({
      user_id,
      project_id,
      head: null,
      learned_at: null,
      problem: null,
      commits: 0,
      words: 0,
      last_no: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow())

export async function updateHistory(
  db: Db,
  { user_id, project_id }: ProjectRef,
  change: Partial<HistoryRow>,
): Promise<void> {
  await historyOf(db, { user_id, project_id })
  await db
    .updateTable('project_histories')
    .set(change)
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .execute()
}

/** Returns which of these refs the project has. */
export async function storedRefs(
  db: Db,
  { user_id, project_id }: ProjectRef,
  refs: readonly string[],
): Promise<Set<string>> {
  if (refs.length === 0) return new Set()
  const rows = await db
    .selectFrom('project_commits')
    .select('ref')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('ref', 'in', refs)
    .execute()
  return new Set(rows.map(({ ref }) => ref))
}

/** A commit whose texts are cleaned and analysed, without its number. */
export type NewCommit = Omit<CommitRow, 'commit_no' | 'words' | 'user_id' | 'project_id'> & {
  terms: readonly string[]
}

const COMMIT_COLUMNS = [
  'commit_id',
  'user_id',
  'project_id',
  'commit_no',
  'kind',
  'ref',
  'committed_at',
  'subject',
  'message',
  'files',
  'reverts',
  'redactions',
  'words',
  'reading',
  'created_at',
] as const satisfies readonly (keyof CommitRow)[]

export const wordOf = (term: string): number => fnv1a(term) | 0

/** A list of commits is text, so that both engines append to it: `number.times` in base 36, each with a blank behind. */
const entryOf = (commitNo: number, times: number): string => `${commitNo.toString(36)}.${times.toString(36)} `

export type Posting = { commitNo: number; times: number }

export const postingsIn = (list: string): Posting[] =>
  list
    .trimEnd()
    .split(' ')
    .map((entry) => {
      const dot = entry.indexOf('.')
      return {
        commitNo: Number.parseInt(entry.slice(0, dot), 36),
        times: Number.parseInt(entry.slice(dot + 1), 36),
      }
    })

const BLANK = 0x20

/** Returns how many commits a list has, without reading it. */
export function countIn(list: string): number {
  let count = 0
  for (let at = 0; at < list.length; at += 1) if (list.charCodeAt(at) === BLANK) count += 1
  return count
}

const APPEND = `on conflict (user_id, project_id, word)
  do update set commits = project_commit_words.commits || excluded.commits`

/** Stores commits that the project lacks, with their words, and counts their text. Call it under the project's lock. */
export async function insertCommits(
  ctx: UserCtx,
  project: ProjectRef,
  added: readonly NewCommit[],
): Promise<void> {
  const { user_id, project_id } = project
  const history = await historyOf(ctx.db, project)
  const lists = new Map<number, string>()
  let words = 0
  const rows = added.map(({ terms, ...commit }, i): CommitRow => {
    const commit_no = history.last_no + 1 + i
    const times = new Map<number, number>()
    for (const term of terms) times.set(wordOf(term), (times.get(wordOf(term)) ?? 0) + 1)
    for (const [word, n] of times) lists.set(word, (lists.get(word) ?? '') + entryOf(commit_no, n))
    words += terms.length
    return { ...commit, user_id, project_id, commit_no, words: terms.length }
  })
  await chargeText(
    ctx,
    rows.reduce((sum, row) => sum + textBytes('project_commits', row), 0),
  )
  await insertRows(
    ctx.db,
    'project_commits',
    COMMIT_COLUMNS,
    rows.map((row) => COMMIT_COLUMNS.map((name) => row[name])),
  )
  // In the order of words, so that two writers do not deadlock.
  const sorted = [...lists].sort(([a], [b]) => a - b)
  await insertRows(
    ctx.db,
    'project_commit_words',
    ['user_id', 'project_id', 'word', 'commits'],
    sorted.map(([word, list]) => [user_id, project_id, word, list]),
    APPEND,
  )
  await updateHistory(ctx.db, project, {
    commits: history.commits + rows.length,
    words: history.words + words,
    last_no: history.last_no + rows.length,
  })
}

export async function markSeen(
  db: Db,
  { user_id, project_id }: ProjectRef,
  refs: ReadonlySet<string>,
  reading: string,
): Promise<void> {
  if (refs.size === 0) return
  await db
    .updateTable('project_commits')
    .set({ reading })
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('ref', 'in', [...refs])
    .execute()
}

/** Removes what a whole reading has not seen again. */
export async function dropUnseen(
  db: Db,
  project: ProjectRef,
  reading: string,
  kinds: readonly CommitRow['kind'][],
): Promise<void> {
  const { user_id, project_id } = project
  const gone = await db
    .deleteFrom('project_commits')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('kind', 'in', kinds)
    .where('reading', '!=', reading)
    .returning(['user_id', 'words', storedTextBytes('project_commits').as('bytes')])
    .execute()
  await discount(db, project, gone)
}

type GoneCommit = { user_id: string; words: number; bytes: number }

/** Takes removed commits out of the totals. Their numbers stay in the lists of words and find nothing. */
async function discount(db: Db, project: ProjectRef, gone: readonly GoneCommit[]): Promise<void> {
  if (gone.length === 0) return
  await freeText(db, gone)
  const { commits, words } = await historyOf(db, project)
  await updateHistory(db, project, {
    commits: commits - gone.length,
    words: words - gone.reduce((sum, row) => sum + row.words, 0),
  })
}

/** Removes everything that was learned from the repository of a project; returns how many commits. */
export async function removeCommitsOf(db: Db, { user_id, project_id }: ProjectRef): Promise<number> {
  const due = await db
    .deleteFrom('project_commits_due')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .returning(['user_id', storedTextBytes('project_commits_due').as('bytes')])
    .execute()
  const gone = await db
    .deleteFrom('project_commits')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .returning(['user_id', storedTextBytes('project_commits').as('bytes')])
    .execute()
  await freeText(db, [...due, ...gone])
  for (const table of ['project_commit_words', 'project_histories'] as const)
    await db.deleteFrom(table).where('user_id', '=', user_id).where('project_id', '=', project_id).execute()
  return gone.length
}

/** Moves what was learned to another project, unless that one has a history of its own. */
export async function moveCommits(db: Db, from: ProjectRef, to: ProjectRef): Promise<void> {
  if (await findHistory(db, to)) return
  const { user_id } = from
  for (const table of [
    'project_histories',
    'project_commits',
    'project_commit_words',
    'project_commits_due',
  ] as const)
    await db
      .updateTable(table)
      .set({ project_id: to.project_id })
      .where('user_id', '=', user_id)
      .where('project_id', '=', from.project_id)
      .execute()
}

export async function listsOf(
  db: Db,
  { user_id, project_id }: ProjectRef,
  words: readonly number[],
): Promise<Map<number, string>> {
  if (words.length === 0) return new Map()
  const rows = await db
    .selectFrom('project_commit_words')
    .select(['word', 'commits'])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('word', 'in', words)
    .execute()
  return new Map(rows.map(({ word, commits }) => [word, commits]))
}

export async function commitsNumbered(
  db: Db,
  { user_id, project_id }: ProjectRef,
  numbers: readonly number[],
): Promise<CommitRow[]> {
  if (numbers.length === 0) return []
  return db
    .selectFrom('project_commits')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('commit_no', 'in', numbers)
    .execute()
}

export async function findCommit(
  db: Db,
  { user_id, project_id }: ProjectRef,
  commitId: string,
): Promise<CommitRow | undefined> {
  return db
    .selectFrom('project_commits')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('commit_id', '=', commitId)
    .executeTakeFirst()
}

/** With the workspace of its project. */
export type OwnCommit = CommitRow & { workspace_id: string }

/** Returns a person's commit, of whichever project. */
export async function findOwnCommit(
  db: Db,
  userId: string,
  commitId: string,
): Promise<OwnCommit | undefined> {
  return db
    .selectFrom('project_commits')
    .innerJoin('context_projects', (join) =>
      join
        .onRef('context_projects.user_id', '=', 'project_commits.user_id')
        .onRef('context_projects.project_id', '=', 'project_commits.project_id'),
    )
    .selectAll('project_commits')
    .select('context_projects.workspace_id')
    .where('project_commits.user_id', '=', userId)
    .where('project_commits.commit_id', '=', commitId)
    .executeTakeFirst()
}

/** Removes one commit. Call it under the project's lock. */
export async function removeCommit(db: Db, { commit_id, user_id, project_id }: CommitRow): Promise<void> {
  const gone = await db
    .deleteFrom('project_commits')
    .where('user_id', '=', user_id)
    .where('commit_id', '=', commit_id)
    .returning(['user_id', 'words', storedTextBytes('project_commits').as('bytes')])
    .execute()
  await discount(db, { user_id, project_id }, gone)
}

/** Returns the newest commit that takes back each of these. */
export async function revertsOf(
  db: Db,
  { user_id, project_id }: ProjectRef,
  refs: readonly string[],
): Promise<Map<string, CommitRow>> {
  if (refs.length === 0) return new Map()
  const rows = await db
    .selectFrom('project_commits')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .where('reverts', 'in', refs)
    .orderBy('committed_at')
    .execute()
  return new Map(rows.map((row) => [row.reverts ?? '', row]))
}

/** Returns the newest commits without what the index of names does not need. */
export async function readCommitTexts(
  db: Db,
  { user_id, project_id }: ProjectRef,
  limit: number,
): Promise<Pick<CommitRow, 'commit_id' | 'kind' | 'subject' | 'message' | 'files'>[]> {
  return db
    .selectFrom('project_commits')
    .select(['commit_id', 'kind', 'subject', 'message', 'files'])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('committed_at', 'desc')
    .orderBy('commit_no', 'desc')
    .limit(limit)
    .execute()
}

/** A place in the list of a project's commits, newest first. */
export type CommitPosition = { committedAt: string; commitNo: number }

export async function newestCommits(
  db: Db,
  { user_id, project_id }: ProjectRef,
  before: CommitPosition | undefined,
  limit: number,
): Promise<CommitRow[]> {
  return db
    .selectFrom('project_commits')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .$if(before !== undefined, (query) =>
      query.where(
        sql<boolean>`(committed_at, commit_no) < (${before?.committedAt ?? ''}, ${before?.commitNo ?? 0})`,
      ),
    )
    .orderBy('committed_at', 'desc')
    .orderBy('commit_no', 'desc')
    .limit(limit)
    .execute()
}
