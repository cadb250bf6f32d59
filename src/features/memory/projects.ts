import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, invalid } from '../../core/errors.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { audit } from '../audit/audit.ts'
import { requireRole } from '../permissions/permission.ts'
import { moveEvents, recount, removeEventsOf } from './events.store.ts'
import { removeMinedOf } from './mined.store.ts'
import { moveDue } from './mining-due.ts'
import { type ProjectName, readProjectKey } from './project-key.ts'
import {
  addAliases,
  aliasesOf,
  dropAliases,
  listProjectRows,
  type Project,
  removeProject,
  renameRow,
} from './projects.store.ts'
import {
  existingProject,
  refuseUnfitKey,
  resolveForWriting,
  resolveTwoForWriting,
} from './resolve-project.ts'
import { Confirmed, ProjectKey, WorkspaceId } from './schemas.ts'

export const ProjectContextProjectsResponse = z
  .object({
    items: z.array(
      z.object({
        project_key: z.string(),
        workspace_id: AnswerId,
        aliases: z.array(z.string()).describe('All keys that find this project, after normalisation.'),
        events: z.int(),
        last_event_at: Time.nullable(),
      }),
    ),
    total: z.int(),
  })
  .meta({ id: 'ProjectContextProjectsResponse' })

export const listProjects = capability({
  name: 'memory.list_projects',
  summary: 'Your projects with memory, the one with the newest event first',
  scopes: ['search'],
  rest: ['GET /api/v1/project-context/projects'],
  errors: [404],
  input: z.object({
    workspace_id: WorkspaceId.describe('Projects of every workspace, when left out.'),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: ProjectContextProjectsResponse,
  run: async (ctx, { workspace_id, limit }) => {
    const workspaceId = workspace_id ?? undefined
    const { rows, total } = await listProjectRows(ctx.db, ctx.viewer.userId, workspaceId, limit)
    if (workspaceId !== undefined && total === 0) await requireRole(ctx, workspaceId, 'viewer')
    const aliases = await aliasesOf(
      ctx.db,
      ctx.viewer.userId,
      rows.map((row) => row.project_id),
    )
    return {
      items: rows.map((row) => ({
        project_key: row.project_key,
        workspace_id: row.workspace_id,
        aliases: aliases.get(row.project_id) ?? [],
        events: row.events,
        last_event_at: row.last_event_at,
      })),
      total,
    }
  },
})

export const deleteProject = capability({
  name: 'memory.delete_project',
  summary: 'Delete all memory of a project for good',
  description: 'Drafts that were made from it go too. Those that were accepted stay, and so do their cards.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/project-context/projects'],
  errors: [404],
  input: z.object({ project_key: ProjectKey, confirmed_by_user: Confirmed, workspace_id: WorkspaceId }),
  output: z
    .object({ project_key: z.string(), deleted_events: z.int() })
    .meta({ id: 'ProjectContextProjectDeleteResponse' }),
  run: (ctx, { project_key, workspace_id }) =>
    inTx(
      ctx,
      async (ctx) => {
        const project = existingProject(await resolveForWriting(ctx, project_key, workspace_id))
        await removeMinedOf(ctx.db, project)
        const deleted = await removeEventsOf(ctx.db, ctx.database.engine, project)
        await removeProject(ctx.db, project)
        await audit(ctx, {
          action: 'memory.project_deleted',
          subject: { type: 'context_project', id: project.project_id },
          workspaceId: project.workspace_id,
          details: { deleted_events: deleted },
        })
        return { project_key: project.project_key, deleted_events: deleted }
      },
      SELF_GUARDED,
    ),
})

export const ProjectContextProjectRenameRequest = z
  .object({
    project_key: ProjectKey,
    new_project_key: ProjectKey,
    workspace_id: WorkspaceId,
    merge: z.boolean().default(false).describe('Merge into the project that already has the new key.'),
  })
  .meta({ id: 'ProjectContextProjectRenameRequest' })

export const renameProject = capability({
  name: 'memory.rename_project',
  summary: 'Give a project another key, or merge it into another project',
  description: 'The former key no longer finds the project.',
  scopes: ['record'],
  rest: ['POST /api/v1/project-context/projects/rename'],
  errors: [404, 409],
  input: ProjectContextProjectRenameRequest,
  output: z
    .object({ project_key: z.string(), new_project_key: z.string(), moved_events: z.int() })
    .meta({ id: 'ProjectContextProjectRenameResponse' }),
  run: (ctx, { project_key, new_project_key, workspace_id, merge }) => {
    const newName = readProjectKey(new_project_key)
    if (readProjectKey(project_key).form === 'user_preferences')
      throw invalid('project_key', 'The key __user__/preferences keeps its name')
    if (newName.form === 'user_preferences')
      throw invalid('new_project_key', 'The key __user__/preferences is reserved; use preferences/transfer')
    return inTx(
      ctx,
      async (ctx) => {
        const keys = [project_key, new_project_key] as const
        const [resolved, { project: other }] = await resolveTwoForWriting(ctx, keys, workspace_id, {
          naming: true,
        })
        const project = existingProject(resolved)
        if (!other) refuseUnfitKey(new_project_key, 'new_project_key')
        const isMerge = other !== undefined && other.project_id !== project.project_id
        if (isMerge && !merge)
          throw conflict(
            'project_exists',
            'There is a project with the new key. Send merge true to join the two.',
          )
        if (isMerge) await mergeInto(ctx, project, other)
        else await giveName(ctx, project, newName)
        await audit(ctx, {
          action: isMerge ? 'memory.project_merged' : 'memory.project_renamed',
          subject: { type: 'context_project', id: project.project_id },
          workspaceId: project.workspace_id,
        })
        return {
          project_key: project.project_key,
          new_project_key: isMerge ? other.project_key : newName.key,
          moved_events: project.events,
        }
      },
      SELF_GUARDED,
    )
  },
})

async function mergeInto({ db }: UserCtx, project: Project, other: Project): Promise<void> {
  const moved = await moveEvents(db, project, other)
  await moveDue(db, project, other)
  await removeProject(db, project)
  await recount(db, other, moved)
}

async function giveName({ db }: UserCtx, project: Project, name: ProjectName): Promise<void> {
  const renamed = { ...project, project_key: name.key, host: name.form === 'remote' ? name.host : null }
  await dropAliases(db, project)
  await renameRow(db, renamed)
  await addAliases(db, renamed, name)
}
