import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { AppError, notFound } from '../../core/errors.ts'
import { AnswerId, Id, presentWithin, Time } from '../../core/schemas.ts'
import { markOf, Provenance, type ProvenanceAnswer } from '../../core/untrusted-text.ts'
import { fromJson } from '../../db/columns.ts'
import { RunAgain } from '../../db/db.ts'
import { sanitise } from '../../redaction/redact.ts'
import { MORE_THAN_CONTROLS } from '../../redaction/required-text.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { cutText } from '../../text/unicode.ts'
import { audit } from '../audit/index.ts'
import { projectFor } from './append.ts'
import { countWaiting, enqueueCommits, MAX_WAITING_BATCHES } from './commit-queue.ts'
import { findCommits } from './commit-search.ts'
import {
  type CommitRow,
  findCommit,
  findHistory,
  findOwnCommit,
  newestCommits,
  type OwnCommit,
  removeCommit,
  removeCommitsOf,
  revertsOf,
} from './commit-store.ts'
import {
  lockProject,
  type ResolvedProject,
  removeProject,
  resolveForWriting,
  resolveProject,
} from './projects.ts'
import { Confirmed, ProjectKey, Redaction, WorkspaceId } from './schemas.ts'

const MAX_BATCH = 200
const MAX_BATCH_BYTES = 4 * 1024 * 1024
const MAX_MESSAGE_LENGTH = 64 * 1024
const MAX_FILES = 100
const MAX_FILE_LENGTH = 1000

const CommitKind = z.enum(['commit', 'pull_request', 'document'])

const Ref = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[\w./#:@+-]+$/)
  .refine((ref) => sanitise(ref).findings.length === 0 || /^[0-9a-f]{7,64}$/.test(ref), 'Looks like a secret')
  .describe('The commit’s hash; of another source a name that stays, such as pull/12')

const CommitCreate = z
  .object({
    ref: Ref,
    kind: CommitKind.default('commit'),
    committed_at: z.iso.datetime({ offset: true }).max(40),
    message: z
      .string()
      .min(1)
      .max(MAX_MESSAGE_LENGTH)
      .refine(...MORE_THAN_CONTROLS)
      .describe('Subject, body and trailers; 8,000 characters are kept'),
    files: z.array(z.string().min(1).max(MAX_FILE_LENGTH)).max(MAX_FILES).default([]),
  })
  .meta({ id: 'ProjectCommitCreate' })

const LearnRequest = z
  .object({
    project_key: ProjectKey,
    workspace_id: WorkspaceId,
    reading_id: Id.describe('One id for all batches of a reading'),
    commits: z.array(CommitCreate).max(MAX_BATCH),
    end: z
      .object({
        head: z
          .string()
          .max(64)
          .regex(/^[0-9a-f]{40,64}$/)
          .nullish()
          .describe('The newest commit that was read'),
        replace: z
          .boolean()
          .default(false)
          .describe('Everything was read again: commits that this reading has not sent are dropped'),
      })
      .optional()
      .describe('With the last batch. Documents that this reading has not sent are dropped.'),
  })
  .meta({ id: 'ProjectCommitsRequest' })

/** Commit texts are written by many people, so they are never the caller's own. */
export const provenanceOfCommit = (workspaceId: string, text: string): ProvenanceAnswer => ({
  owner: 'public',
  workspace: workspaceId,
  reviewed: false,
  ...markOf(containsInstructions(text)),
})

const tooMany = () =>
  new AppError(
    429,
    'commits_waiting',
    `${MAX_WAITING_BATCHES} batches of this project wait to be read. Send the next ones when fewer do.`,
  )

export const learnFromCommits = capability({
  name: 'memory.learn_commits',
  summary: 'Hand over commits of a repository, batch by batch',
  description:
    'What the repository says about why: commits with a body, pull requests, records of decisions. They are private to the caller. A job reads them: it replaces secrets, and answers no request. A commit that is known is not read again.',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/commits'],
  status: 201,
  maxBodyBytes: MAX_BATCH_BYTES,
  errors: [404, 413, 429],
  input: LearnRequest,
  output: z
    .object({ project_key: z.string(), received: z.int(), waiting: z.int() })
    .meta({ id: 'ProjectCommitsReceived' }),
  run: (ctx, { project_key, workspace_id, reading_id, commits, end }) =>
    inTx(
      ctx,
      async (ctx) => {
        const resolved = await resolveForWriting(ctx, project_key, workspace_id)
        const project = await projectFor(ctx, resolved, ctx.now().toISOString())
        const waiting = await countWaiting(ctx.db, project)
        if (waiting >= MAX_WAITING_BATCHES) throw tooMany()
        const last = end && { end: { head: end.head ?? null, replace: end.replace } }
        await enqueueCommits(ctx, project, { reading: reading_id, commits, ...last })
        return { project_key: project.project_key, received: commits.length, waiting: waiting + 1 }
      },
      SELF_GUARDED,
    ),
})

const Commit = z
  .object({
    commit_id: AnswerId,
    kind: CommitKind,
    ref: z.string(),
    committed_at: Time,
    subject: z.string(),
    message: z.string(),
    files: z.array(z.string()),
    reverted_in: z.string().nullable().describe('ref of the commit that takes it back'),
    redactions: z.array(Redaction),
    truncated: z.boolean(),
    score: z.number().optional().describe('With a query: how likely it is about it, 0 to 1'),
    provenance: Provenance,
  })
  .meta({ id: 'ProjectCommit' })

const MAX_SHOWN_FILES = 20
const LIGHT_CHARACTERS = 200

function present(
  row: CommitRow,
  workspaceId: string,
  more: { revertedBy: string | undefined; score?: number; length: number },
): z.input<typeof Commit> {
  const { text, truncated } = cutText(row.message, more.length)
  return {
    commit_id: row.commit_id,
    kind: row.kind,
    ref: row.ref,
    committed_at: row.committed_at,
    subject: row.subject,
    message: text,
    files: fromJson<string[]>(row.files).slice(0, MAX_SHOWN_FILES),
    reverted_in: more.revertedBy ?? null,
    redactions: fromJson(row.redactions),
    truncated,
    ...(more.score === undefined ? {} : { score: Math.round(more.score * 10_000) / 10_000 }),
    provenance: provenanceOfCommit(workspaceId, `${row.subject}\n${row.message}`),
  }
}

type Listing = { query: string | undefined; limit: number; cursor: string | undefined; length: number }

async function commitsOf(
  ctx: UserCtx,
  { project, workspaceId }: ResolvedProject,
  { query, limit, cursor, length }: Listing,
): Promise<{ items: z.input<typeof Commit>[]; next_cursor: string | null }> {
  if (!project) return { items: [], next_cursor: null }
  const shown = (
    found: readonly { row: CommitRow; confidence?: number; revertedBy: CommitRow | undefined }[],
  ) =>
    presentWithin(
      found,
      ({ row }) => [row.subject, row.message.slice(0, length), row.files],
      ({ row, confidence, revertedBy }, isLight) =>
        present(row, workspaceId, {
          revertedBy: revertedBy?.ref,
          ...(confidence === undefined ? {} : { score: confidence }),
          length: isLight ? LIGHT_CHARACTERS : length,
        }),
    )
  if (query !== undefined)
    return { items: shown(await findCommits(ctx, project, query, limit)), next_cursor: null }
  const last = cursor === undefined ? undefined : await findCommit(ctx.db, project, cursor)
  if (cursor !== undefined && !last) throw notFound('Commit')
  const before = last && { committedAt: last.committed_at, commitNo: last.commit_no }
  const rows = await newestCommits(ctx.db, project, before, limit + 1)
  const page = rows.slice(0, limit)
  const reverts = await revertsOf(
    ctx.db,
    project,
    page.map(({ ref }) => ref),
  )
  return {
    items: shown(page.map((row) => ({ row, revertedBy: reverts.get(row.ref) }))),
    next_cursor: rows.length > limit ? (page.at(-1)?.commit_id ?? null) : null,
  }
}

export const listCommits = capability({
  name: 'memory.list_commits',
  summary: 'What was learned from the repository of a project: newest first, or by words',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/commits'],
  errors: [404],
  input: z.object({
    project_key: ProjectKey,
    workspace_id: WorkspaceId,
    query: z.string().trim().min(1).max(2000).optional(),
    limit: z.int().min(1).max(100).default(20),
    max_chars_per_commit: z.int().min(200).max(20_000).default(2000),
    cursor: Id.optional().describe('next_cursor of the page before; not with query'),
  }),
  output: z
    .object({
      project_key: z.string(),
      workspace_id: AnswerId,
      head: z.string().nullable().describe('The newest commit that was read'),
      learned_at: Time.nullable(),
      problem: z.string().nullable().describe('Why the last reading is not whole'),
      total: z.int(),
      waiting: z.int().describe('Batches that were received and are not read yet'),
      items: z.array(Commit),
      next_cursor: AnswerId.nullable(),
    })
    .meta({ id: 'ProjectCommitsResponse' }),
  run: async (ctx, { project_key, workspace_id, query, limit, max_chars_per_commit, cursor }) => {
    const resolved = await resolveProject(ctx, project_key, workspace_id)
    const { project, name, workspaceId } = resolved
    const history = project && (await findHistory(ctx.db, project))
    return {
      project_key: project?.project_key ?? name.key,
      workspace_id: workspaceId,
      head: history?.head ?? null,
      learned_at: history?.learned_at ?? null,
      problem: history?.problem ?? null,
      total: history?.commits ?? 0,
      waiting: project ? await countWaiting(ctx.db, project) : 0,
      ...(await commitsOf(ctx, resolved, { query, limit, cursor, length: max_chars_per_commit })),
    }
  },
})

/** Returns an own commit for a change and locks its project; undefined if there is none. */
export async function lockOwnCommit(ctx: UserCtx, commitId: string): Promise<OwnCommit | undefined> {
  const commit = await findOwnCommit(ctx.db, ctx.viewer.userId, commitId)
  if (!commit || ctx.database.engine === 'sqlite') return commit
  await lockProject(ctx.db, commit)
  const locked = await findOwnCommit(ctx.db, ctx.viewer.userId, commitId)
  // The project was merged into another one in the meantime.
  if (locked && locked.project_id !== commit.project_id) throw new RunAgain()
  return locked
}

export const deleteCommit = capability({
  name: 'memory.delete_commit',
  summary: 'Delete one commit that was learned from a repository',
  description:
    'It comes back if the history is read from its beginning again, and a document does with the next reading. To keep its text away for good, mark it.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/project-context/commits/{commit_id}'],
  status: 204,
  errors: [404],
  input: z.object({ commit_id: Id }),
  output: z.void(),
  run: (ctx, { commit_id }) =>
    inTx(
      ctx,
      async (ctx) => {
        const commit = await lockOwnCommit(ctx, commit_id)
        if (!commit) throw notFound('Commit')
        await removeCommit(ctx.db, commit)
        await audit(ctx, {
          action: 'memory.commits_deleted',
          subject: { type: 'context_project', id: commit.project_id },
          workspaceId: commit.workspace_id,
          details: { deleted_commits: 1 },
        })
      },
      SELF_GUARDED,
    ),
})

export const deleteCommits = capability({
  name: 'memory.delete_commits',
  summary: 'Delete everything that was learned from the repository of a project',
  scopes: ['record'],
  rest: ['DELETE /api/v1/project-context/commits'],
  errors: [404],
  input: z.object({ project_key: ProjectKey, confirmed_by_user: Confirmed, workspace_id: WorkspaceId }),
  output: z
    .object({ project_key: z.string(), deleted_commits: z.int() })
    .meta({ id: 'ProjectCommitsDeleted' }),
  run: (ctx, { project_key, workspace_id }) =>
    inTx(
      ctx,
      async (ctx) => {
        const { project } = await resolveForWriting(ctx, project_key, workspace_id)
        if (!project) throw notFound('Project', 'Nothing is remembered under this key.')
        const deleted_commits = await removeCommitsOf(ctx.db, project)
        if (project.events === 0) await removeProject(ctx.db, project)
        await audit(ctx, {
          action: 'memory.commits_deleted',
          subject: { type: 'context_project', id: project.project_id },
          workspaceId: project.workspace_id,
          details: { deleted_commits },
        })
        return { project_key: project.project_key, deleted_commits }
      },
      SELF_GUARDED,
    ),
})
