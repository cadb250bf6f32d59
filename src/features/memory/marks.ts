import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, invalid, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { chargeText, freeText, storedTextBytes, textBytes } from '../storage/index.ts'
import { textOfCommit } from './commit-store.ts'
import { lockOwnCommit } from './commits.ts'
import { lockOwnEvent } from './events.ts'
import { hashesIn, MAX_MARKS, type MarkRow, marksOf } from './mark-store.ts'
import { resolveProject } from './projects.ts'
import { ProjectKey, WorkspaceId } from './schemas.ts'
import type { ProjectRef } from './store.ts'

const MAX_PASSAGE = 20_000

const MemoryMark = z
  .object({
    mark_id: AnswerId,
    raw_id: AnswerId.describe('The event or commit that was marked; it may be deleted since'),
    reason: z.enum(['outdated', 'wrong']),
    whole: z.boolean().describe('Whether all that it says is marked'),
    created_at: Time,
  })
  .meta({ id: 'MemoryMark' })

const present = ({ mark_id, raw_id, reason, is_whole, created_at }: MarkRow) => ({
  mark_id,
  raw_id,
  reason,
  whole: is_whole === 1,
  created_at,
})

/** Returns the text of an own event or commit, with its project locked. */
async function lockMarked(ctx: UserCtx, id: string): Promise<ProjectRef & { content: string }> {
  const commit = await lockOwnCommit(ctx, id)
  return commit ? { ...commit, content: textOfCommit(commit) } : lockOwnEvent(ctx, id)
}

const blanksAsOne = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

export const markPassage = capability({
  name: 'memory.mark',
  summary: 'Mark an event or commit of your memory, or a passage of it, as outdated or wrong',
  description:
    'It stays, and search finds it. Recall leaves out its sentences, also where the same text is captured again.',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/marks'],
  status: 201,
  errors: [404, 409],
  input: z
    .object({
      raw_id: Id.describe('The id of an event or a commit'),
      reason: z.enum(['outdated', 'wrong']).default('outdated'),
      passage: z
        .string()
        .min(1)
        .max(MAX_PASSAGE)
        .optional()
        .describe('Sentences of it as they stand there; all of it, when left out'),
    })
    .meta({ id: 'MemoryMarkCreate' }),
  output: MemoryMark,
  run: (ctx, { raw_id, reason, passage }) =>
    inTx(
      ctx,
      async (ctx) => {
        const marked = await lockMarked(ctx, raw_id)
        if (passage !== undefined && !blanksAsOne(marked.content).includes(blanksAsOne(passage)))
          throw invalid('passage', 'It does not have this text')
        const hashes = hashesIn(passage ?? marked.content)
        if (hashes.length === 0)
          throw invalid(
            'passage',
            'Mark whole sentences: of fewer than four words too many texts have the same',
          )
        const known = new Set(hashes)
        const marks = await marksOf(ctx.db, marked)
        if (marks.length >= MAX_MARKS)
          throw conflict('too_many_marks', `A project has at most ${MAX_MARKS} marks. Delete events instead.`)
        const row: MarkRow = {
          mark_id: newId(ctx.now().getTime()),
          user_id: marked.user_id,
          project_id: marked.project_id,
          raw_id,
          reason,
          hashes: toJson(hashes),
          is_whole: Number(hashesIn(marked.content).every((hash) => known.has(hash))),
          created_at: ctx.now().toISOString(),
        }
        await chargeText(ctx, textBytes('memory_marks', row))
        await ctx.db.insertInto('memory_marks').values(row).execute()
        return present(row)
      },
      SELF_GUARDED,
    ),
})

export const listMarks = capability({
  name: 'memory.list_marks',
  summary: 'What you have marked as outdated or wrong in a project, newest first',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/marks'],
  errors: [404],
  input: z.object({ project_key: ProjectKey, workspace_id: WorkspaceId }),
  output: z
    .object({ project_key: z.string(), items: z.array(MemoryMark), total: z.int() })
    .meta({ id: 'MemoryMarks' }),
  run: async (ctx, { project_key, workspace_id }) => {
    const { project, name } = await resolveProject(ctx, project_key, workspace_id)
    const items = project ? (await marksOf(ctx.db, project)).map(present) : []
    return { project_key: project?.project_key ?? name.key, items, total: items.length }
  },
})

async function removeMark({ db, viewer }: UserCtx, markId: string): Promise<void> {
  const gone = await db
    .deleteFrom('memory_marks')
    .where('user_id', '=', viewer.userId)
    .where('mark_id', '=', markId)
    .returning(['user_id', storedTextBytes('memory_marks').as('bytes')])
    .execute()
  if (gone.length === 0) throw notFound('Mark')
  await freeText(db, gone)
}

export const unmarkPassage = capability({
  name: 'memory.unmark',
  summary: 'Take a mark back, so that recall brings the passage again',
  scopes: ['record'],
  rest: ['DELETE /api/v1/project-context/marks/{mark_id}'],
  status: 204,
  errors: [404],
  input: z.object({ mark_id: Id }),
  output: z.void(),
  run: (ctx, { mark_id }) => inTx(ctx, (ctx) => removeMark(ctx, mark_id), SELF_GUARDED),
})
