import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, invalid, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { chargeText, freeText, storedTextBytes, textBytes } from '../storage/index.ts'
import { lockOwnEvent } from './events.ts'
import { hashesIn, MAX_MARKS, type MarkRow, marksOf } from './mark-store.ts'
import { resolveProject } from './projects.ts'
import { ProjectKey, WorkspaceId } from './schemas.ts'

const MAX_PASSAGE = 20_000

const MemoryMark = z
  .object({
    mark_id: AnswerId,
    raw_id: AnswerId.describe('The event that was marked; it may be deleted since'),
    reason: z.enum(['outdated', 'wrong']),
    whole: z.boolean().describe('Whether all that the event says is marked'),
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

const blanksAsOne = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

export const markPassage = capability({
  name: 'memory.mark',
  summary: 'Mark an event of your memory, or a passage of it, as outdated or wrong',
  description:
    'The event stays, and search finds it. Recall leaves out its sentences, also where the same text is captured again.',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/marks'],
  status: 201,
  errors: [404, 409],
  input: z
    .object({
      raw_id: Id,
      reason: z.enum(['outdated', 'wrong']).default('outdated'),
      passage: z
        .string()
        .min(1)
        .max(MAX_PASSAGE)
        .optional()
        .describe('Sentences of the event as they stand there; the whole event, when left out'),
    })
    .meta({ id: 'MemoryMarkCreate' }),
  output: MemoryMark,
  run: (ctx, { raw_id, reason, passage }) =>
    inTx(
      ctx,
      async (ctx) => {
        const event = await lockOwnEvent(ctx, raw_id)
        if (passage !== undefined && !blanksAsOne(event.content).includes(blanksAsOne(passage)))
          throw invalid('passage', 'The event does not have this text')
        const hashes = hashesIn(passage ?? event.content)
        if (hashes.length === 0)
          throw invalid(
            'passage',
            'Mark whole sentences: of fewer than four words too many texts have the same',
          )
        const marked = new Set(hashes)
        const marks = await marksOf(ctx.db, event)
        if (marks.length >= MAX_MARKS)
          throw conflict('too_many_marks', `A project has at most ${MAX_MARKS} marks. Delete events instead.`)
        const row: MarkRow = {
          mark_id: newId(ctx.now().getTime()),
          user_id: event.user_id,
          project_id: event.project_id,
          raw_id,
          reason,
          hashes: toJson(hashes),
          is_whole: Number(hashesIn(event.content).every((hash) => marked.has(hash))),
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
