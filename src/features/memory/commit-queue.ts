import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Ctx, contextFor, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { seal, unseal } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { logFailure } from '../../core/log.ts'
import { toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { ProjectCommitsDueTable } from '../../db/knowledge-schema.ts'
import { type LeasedQueue, type Settled, workOff } from '../../db/queue.ts'
import { cleanJson, cleanLongText, Findings } from '../../redaction/redact.ts'
import { termsOf } from '../../text/analyse.ts'
import { STOP_STEMS } from '../../text/terms.ts'
import { cutText } from '../../text/unicode.ts'
import { chargeText, freeText, storedTextBytes, textBytes } from '../storage/index.ts'
import {
  dropUnseen,
  findHistory,
  insertCommits,
  markSeen,
  type NewCommit,
  storedRefs,
  updateHistory,
} from './commit-store.ts'
import { lockProject } from './projects.ts'
import type { ProjectRef } from './store.ts'

/** A commit as it was sent. */
export type SentCommit = {
  kind: NewCommit['kind']
  ref: string
  committed_at: string
  message: string
  files: string[]
}

export type CommitBatch = {
  /** The reading that the batch is part of. */
  reading: string
  commits: SentCommit[]
  /** With the last batch: the newest commit, and whether all commits were read again. */
  end?: { head: string | null; replace: boolean }
}

export const COMMITS_JOB = 'project-commits'
/** A project beyond this keeps what it has. */
const MAX_COMMITS = 20_000
export const MAX_WAITING_BATCHES = 100
const MAX_MESSAGE_CHARACTERS = 8000
const MAX_DIFFERENT_WORDS = 1000
const MAX_ATTEMPTS = 5
const RETRY_MS = 60_000
const LEASE_MS = 10 * 60_000

const QUEUE: LeasedQueue<'project_commits_due'> = {
  table: 'project_commits_due',
  key: 'batch_id',
  due: 'next_attempt_at',
  lease: 'claimed_until',
  attempts: 'attempts',
  // A reading ends with its last batch, so the batches of a project are read in their order.
  isOpen: sql`not exists (select 1 from project_commits_due as earlier
    where earlier.user_id = project_commits_due.user_id
      and earlier.project_id = project_commits_due.project_id
      and earlier.batch_no < project_commits_due.batch_no)`,
  size: 20,
  leaseMs: LEASE_MS,
  waitMs: (attempts) => RETRY_MS * attempts,
}

export async function countWaiting(db: Db, { user_id, project_id }: ProjectRef): Promise<number> {
  const { waiting } = await db
    .selectFrom('project_commits_due')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .executeTakeFirstOrThrow()
  return Number(waiting)
}

/** Keeps a batch until the job reads it, sealed because its secrets are still in it. */
export async function enqueueCommits(ctx: UserCtx, project: ProjectRef, batch: CommitBatch): Promise<void> {
  const { user_id, project_id } = project
  const last = await ctx.db
    .selectFrom('project_commits_due')
    .select(({ fn }) => fn.max('batch_no').as('no'))
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  const now = ctx.now().toISOString()
  const row: ProjectCommitsDueTable = {
    batch_id: newId(),
    batch_no: Number(last?.no ?? 0) + 1,
    user_id,
    project_id,
    payload: seal(toJson(batch), ctx.secret),
    created_at: now,
    next_attempt_at: now,
    claimed_until: null,
    attempts: 0,
  }
  await chargeText(ctx, textBytes('project_commits_due', row))
  await ctx.db.insertInto('project_commits_due').values(row).execute()
  ctx.afterCommit(() => ctx.wakeups.emit(COMMITS_JOB))
}

async function removeBatch(db: Db, { batch_id }: ProjectCommitsDueTable): Promise<boolean> {
  const gone = await db
    .deleteFrom('project_commits_due')
    .where('batch_id', '=', batch_id)
    .returning(['user_id', storedTextBytes('project_commits_due').as('bytes')])
    .execute()
  await freeText(db, gone)
  return gone.length > 0
}

/** Matches the addresses of people in trailers. */
const ADDRESS = /\s?<[^<>\s]{1,200}@[^<>\s]{1,200}>/g
const REVERTED = /\bThis reverts commit ([0-9a-f]{7,64})\b/i

async function cleanCommit(ctx: UserCtx, commit: SentCommit, reading: string): Promise<NewCommit> {
  const findings = new Findings()
  const whole = await cleanLongText(ctx.work, commit.message.replaceAll(ADDRESS, ''), findings)
  const text = cutText(whole.trim(), MAX_MESSAGE_CHARACTERS).text
  const [subject = '', ...rest] = text.split('\n')
  const message = rest.join('\n').trim()
  const files = cleanJson(commit.files, findings)
  return {
    commit_id: newId(),
    kind: commit.kind,
    ref: commit.ref,
    committed_at: new Date(commit.committed_at).toISOString(),
    subject: subject.trim(),
    message,
    files: toJson(files),
    reverts: REVERTED.exec(text)?.[1] ?? null,
    redactions: toJson(findings.list()),
    reading,
    created_at: ctx.now().toISOString(),
    terms: termsOfCommit(subject, message, files),
  }
}

/** The subject counts twice, as a title does. */
function termsOfCommit(subject: string, message: string, files: readonly string[]): string[] {
  const names = files.map((file) => file.slice(file.lastIndexOf('/') + 1))
  const different = new Set<string>()
  return termsOf(`${subject}\n${subject}\n${message}\n${names.join('\n')}`).filter((term) => {
    if (STOP_STEMS.has(term)) return false
    if (different.size < MAX_DIFFERENT_WORDS) different.add(term)
    return different.has(term)
  })
}

/** Cleans what the project lacks. It waits as long as it works, so that requests of people come first. */
async function cleanNew(
  ctx: UserCtx,
  project: ProjectRef,
  { commits, reading }: CommitBatch,
  stopping: AbortSignal,
): Promise<NewCommit[]> {
  const stored = await storedRefs(
    ctx.db,
    project,
    commits.map(({ ref }) => ref),
  )
  const cleaned = new Map<string, NewCommit>()
  let began = performance.now()
  for (const commit of commits) {
    if (stored.has(commit.ref) || cleaned.has(commit.ref)) continue
    stopping.throwIfAborted()
    cleaned.set(commit.ref, await cleanCommit(ctx, commit, reading))
    const worked = performance.now() - began
    if (worked < SLICE_MS) continue
    await wait(worked)
    began = performance.now()
  }
  return [...cleaned.values()]
}

const SLICE_MS = 20

/** Returns whether the project has room for all of them. */
async function storeBatch(
  ctx: UserCtx,
  row: ProjectCommitsDueTable,
  batch: CommitBatch,
  cleaned: readonly NewCommit[],
): Promise<void> {
  if (!(await holdProject(ctx, row)) || !(await removeBatch(ctx.db, row))) return
  const refs = batch.commits.map(({ ref }) => ref)
  const stored = await storedRefs(ctx.db, row, refs)
  await markSeen(ctx.db, row, stored, batch.reading)
  const history = await findHistory(ctx.db, row)
  const room = Math.max(0, MAX_COMMITS - (history?.commits ?? 0))
  const added = cleaned.filter(({ ref }) => !stored.has(ref))
  await insertCommits(ctx, row, added.slice(0, room))
  if (!batch.end) return
  const { head, replace } = batch.end
  await dropUnseen(ctx.db, row, batch.reading, replace ? ['commit', 'document'] : ['document'])
  const problem = room === 0 || added.length > room ? `A project keeps ${MAX_COMMITS} commits.` : null
  await updateHistory(ctx.db, row, { head, learned_at: ctx.now().toISOString(), problem })
}

/** Locks the project, as every write to it does; false if it is gone. */
async function holdProject({ db, database }: Ctx, { user_id, project_id }: ProjectRef): Promise<boolean> {
  if (database.engine === 'postgres') return (await lockProject(db, { user_id, project_id })) !== undefined
  const project = await db
    .selectFrom('context_projects')
    .select('project_id')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .executeTakeFirst()
  return project !== undefined
}

/** Runs as the owner of the project, so that the text counts for that person. */
const asOwner = (ctx: Ctx, userId: string): UserCtx => {
  const viewer = {
    userId,
    scopes: new Set<never>(),
    isAdmin: false,
    credential: { kind: 'session' as const, id: '' },
  }
  return { ...contextFor(ctx, { viewer, requestId: ctx.requestId, ip: '', ifMatch: undefined }), viewer }
}

/** Drops a batch that cannot be read. The reading stays unfinished, so that the next one begins where it began. */
async function giveUp(ctx: Ctx, row: ProjectCommitsDueTable, problem: string): Promise<void> {
  await inTx(
    ctx,
    async (ctx) => {
      if (!(await holdProject(ctx, row))) return
      const gone = await ctx.db
        .deleteFrom('project_commits_due')
        .where('user_id', '=', row.user_id)
        .where('project_id', '=', row.project_id)
        .returning(['user_id', storedTextBytes('project_commits_due').as('bytes')])
        .execute()
      await freeText(ctx.db, gone)
      await updateHistory(ctx.db, row, { problem })
    },
    SELF_GUARDED,
  )
}

async function learn(
  ctx: Ctx,
  row: ProjectCommitsDueTable,
  stopping: AbortSignal,
): Promise<Settled<'project_commits_due'>> {
  const done: Settled<'project_commits_due'> = { change: {} }
  try {
    const text = unseal(row.payload, ctx.secret)
    if (text === null) {
      await giveUp(ctx, row, 'The secret key of the server has changed since.')
      return done
    }
    const batch = JSON.parse(text) as CommitBatch
    const owner = asOwner(ctx, row.user_id)
    const cleaned = await cleanNew(owner, row, batch, stopping)
    await inTx(owner, (ctx) => storeBatch(ctx, row, batch, cleaned), SELF_GUARDED)
    // The next batch of the same project was not open while this one was.
    ctx.wakeups.emit(COMMITS_JOB)
    return done
  } catch (error) {
    if (stopping.aborted) return { ...done, triesAgain: true, stops: true }
    if (error instanceof AppError && error.code === 'storage_full') {
      await giveUp(ctx, row, error.message)
      return done
    }
    logFailure(ctx, error, { message: 'commits were not read', details: { batch_id: row.batch_id } })
    if (row.attempts < MAX_ATTEMPTS) return { ...done, triesAgain: true }
    await giveUp(ctx, row, 'The commits could not be read.')
    return done
  }
}

/** Reads the batches that wait, each project's in their order. */
export const learnCommits = (ctx: Ctx, stopping: AbortSignal): Promise<void> =>
  workOff(ctx, QUEUE, { stopping, where: sql`1 = 1` }, (row) => learn(ctx, row, stopping))
