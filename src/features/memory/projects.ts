import type { Selectable } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, invalid, notFound } from '../../core/errors.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import type { ProvenanceAnswer } from '../../core/untrusted-text.ts'
import { type Db, isSqlite, RunAgain } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { ContextProjectsTable } from '../../db/knowledge-schema.ts'
import { acquireLockOf } from '../../db/locks.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { byBytes } from '../../db/sql-values.ts'
import { findSecrets } from '../../redaction/redact.ts'
import { MAX_KEY_BYTES, type ProjectName, readProjectKey, USER_PREFERENCES_KEY } from '../../shared/memory.ts'
import { audit } from '../audit/index.ts'
import { requireRole } from '../permissions/index.ts'
import { moveCommits, removeCommitsOf } from './commit-store.ts'
import { moveMarks, removeMarks } from './mark-store.ts'
import { moveDue, removeMinedOf } from './mining-queue.ts'
import { Confirmed, ProjectKey, WorkspaceId } from './schemas.ts'
import {
  addPartition,
  type EventPosition,
  moveEvents,
  type ProjectRef,
  recount,
  removeEventsOf,
} from './store.ts'

export type Project = Selectable<ContextProjectsTable> & {
  /** The last event, updated by the events of the same transaction. SQLite only. */
  last?: EventPosition | undefined
}

type ProjectMatch = {
  personalWorkspaceId: string
  /** The caller's projects under this name, at most one per workspace. */
  projects: Project[]
  userPreferences: Project | undefined
}

const keysOf = (name: ProjectName): string[] =>
  name.form === 'remote' && name.path.includes('/') ? [name.key, name.path] : [name.key]

/** Each table is filtered by user directly, so that a cluster sees that one shard holds everything. */
const projectsNamed = prepared(
  'projectsNamed',
  (
    db,
    parameter: Named<{
      user: string
      key: string
      path: string
      earlierKey: string
      earlierPath: string
      preferences: string
    }>,
  ) =>
    db
      .selectFrom('users')
      .leftJoin('context_project_aliases as aliases', (join) =>
        join
          .on('aliases.user_id', '=', parameter('user'))
          .on('aliases.alias', 'in', [
            parameter('key'),
            parameter('path'),
            parameter('earlierKey'),
            parameter('earlierPath'),
            parameter('preferences'),
          ]),
      )
      .leftJoin('context_projects as projects', (join) =>
        join
          .onRef('projects.project_id', '=', 'aliases.project_id')
          .on('projects.user_id', '=', parameter('user')),
      )
      // On PostgreSQL a writer waits for locks first, so a position read here would be stale.
      .$if(isSqlite(db), (query) =>
        query
          .leftJoin('context_partitions as newest', (join) =>
            join
              .on('newest.user_id', '=', parameter('user'))
              .onRef('newest.project_id', '=', 'projects.project_id')
              .on('newest.partition_no', '=', (eb) =>
                eb
                  .selectFrom('context_partitions as partitions')
                  .select((eb) => eb.fn.max('partitions.partition_no').as('last'))
                  .where('partitions.user_id', '=', parameter('user'))
                  .whereRef('partitions.project_id', '=', 'projects.project_id'),
              ),
          )
          .select(['newest.partition_no', 'newest.last_seq']),
      )
      .select(['users.personal_workspace_id', 'aliases.alias'])
      .selectAll('projects')
      .where('users.user_id', '=', parameter('user')),
)

async function findProjects(db: Db, userId: string, name: ProjectName): Promise<ProjectMatch> {
  const [key = '', path = key] = keysOf(name)
  const [earlierKey = '', earlierPath = earlierKey] = keysOf(name.earlier ?? name)
  const keys = { key, path, earlierKey, earlierPath, preferences: USER_PREFERENCES_KEY }
  const rows = await projectsNamed(db, { user: userId, ...keys })
  const byWorkspace = new Map<string, { project: Project; fit: number }>()
  let userPreferences: Project | undefined
  for (const { alias, personal_workspace_id: _, partition_no, last_seq, ...row } of rows) {
    if (alias === null || row.project_id === null) continue
    const project = row as Project
    if (partition_no != null && last_seq != null)
      project.last = { partition: partition_no, sequence: last_seq }
    if (alias === USER_PREFERENCES_KEY) userPreferences = project
    const fit = fitOf(name, alias, project)
    if (fit > (byWorkspace.get(project.workspace_id)?.fit ?? 0))
      byWorkspace.set(project.workspace_id, { project, fit })
  }
  const personalWorkspaceId = rows[0]?.personal_workspace_id
  if (personalWorkspaceId === undefined) throw new Error('the caller has no account row')
  return {
    personalWorkspaceId,
    projects: [...byWorkspace.values()].map(({ project }) => project),
    userPreferences,
  }
}

/** `host/org/repo` also means the project `org/repo` while that project has no host. */
function fitOf(name: ProjectName, alias: string, project: Project): number {
  const spellings = name.earlier ? [name.earlier, name] : [name]
  const exact = spellings.findIndex(({ key }) => key === alias)
  if (exact !== -1) return 4 - exact
  if (project.host !== null) return 0
  const byPath = spellings.findIndex((spelling) => spelling.form === 'remote' && spelling.path === alias)
  return byPath === -1 ? 0 : 2 - byPath
}

const lockedRow = prepared('lockProject', (db, parameter: Named<ProjectRef>) =>
  db
    .selectFrom('context_projects')
    .selectAll()
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id'))
    .forNoKeyUpdate(),
)

/** Locks on PostgreSQL only; SQLite has one writer. Returns undefined if the project is gone. */
export async function lockProject(db: Db, { user_id, project_id }: ProjectRef): Promise<Project | undefined> {
  const [row] = await lockedRow(db, { user_id, project_id })
  return row
}

/** Requires the lock `projectNames` of the owner and a check that the project does not exist. */
export async function insertProject(
  db: Db,
  owner: { userId: string; workspaceId: string },
  name: ProjectName,
  now: string,
): Promise<Project> {
  const project: Project = {
    project_id: newId(),
    user_id: owner.userId,
    workspace_id: owner.workspaceId,
    project_key: name.key,
    host: name.form === 'remote' ? name.host : null,
    events: 0,
    last_event_at: null,
    created_at: now,
  }
  await db.insertInto('context_projects').values(project).execute()
  await addPartition(db, project)
  await addAliases(db, project, name)
  return project
}

/** Adds the aliases of a project. Only the first project with a path is also found by the path alone. */
async function addAliases(db: Db, project: Project, name: ProjectName): Promise<void> {
  for (const alias of keysOf(name)) {
    const added = await db
      .insertInto('context_project_aliases')
      .values({
        user_id: project.user_id,
        workspace_id: project.workspace_id,
        alias,
        project_id: project.project_id,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    // A project without its own key as an alias could not be found.
    if (alias === project.project_key && added.numInsertedOrUpdatedRows === 0n) throw new RunAgain()
  }
}

export async function learnHost(db: Db, project: Project, name: ProjectName): Promise<Project> {
  if (name.form !== 'remote' || project.host !== null || project.project_key !== name.path) return project
  const learnt = { ...project, project_key: name.key, host: name.host }
  await renameRow(db, learnt)
  await addAliases(db, learnt, name)
  return learnt
}

async function renameRow(db: Db, project: Project): Promise<void> {
  await db
    .updateTable('context_projects')
    .set({ project_key: project.project_key, host: project.host })
    .where('user_id', '=', project.user_id)
    .where('project_id', '=', project.project_id)
    .execute()
}

async function dropAliases(db: Db, { user_id, project_id }: ProjectRef): Promise<void> {
  await db
    .deleteFrom('context_project_aliases')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .execute()
}

async function aliasesOf(
  db: Db,
  userId: string,
  projectIds: readonly string[],
): Promise<Map<string, string[]>> {
  const aliases = new Map<string, string[]>()
  if (projectIds.length === 0) return aliases
  const rows = await db
    .selectFrom('context_project_aliases')
    .select(['project_id', 'alias'])
    .where('user_id', '=', userId)
    .where('project_id', 'in', projectIds)
    .orderBy(byBytes(db, 'alias'))
    .execute()
  for (const { project_id, alias } of rows)
    aliases.set(project_id, [...(aliases.get(project_id) ?? []), alias])
  return aliases
}

export async function partitionsOfPerson(db: Db, userId: string, limit: number) {
  return db
    .selectFrom('context_projects as projects')
    .innerJoin('context_partitions as partitions', (join) =>
      join
        .onRef('partitions.project_id', '=', 'projects.project_id')
        .onRef('partitions.user_id', '=', 'projects.user_id'),
    )
    .select(['projects.project_id', 'projects.project_key', 'projects.workspace_id'])
    .select(['partitions.partition_no', 'partitions.last_seq'])
    .where('projects.user_id', '=', userId)
    .where('partitions.last_seq', '>', 0)
    .orderBy('projects.last_event_at', (order) => order.desc().nullsLast())
    .orderBy('partitions.partition_no', 'desc')
    .limit(limit)
    .execute()
}

/** Removes the project's own rows and commits. The caller has removed the events before. */
export async function removeProject(db: Db, project: ProjectRef): Promise<void> {
  const { user_id, project_id } = project
  await removeCommitsOf(db, project)
  await dropAliases(db, project)
  await removeMarks(db, project)
  for (const table of ['context_partitions', 'context_projects'] as const)
    await db.deleteFrom(table).where('user_id', '=', user_id).where('project_id', '=', project_id).execute()
}

async function listProjectRows(
  db: Db,
  userId: string,
  workspaceId: string | undefined,
  limit: number,
): Promise<{ rows: Project[]; total: number }> {
  const mine = db
    .selectFrom('context_projects')
    .where('user_id', '=', userId)
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId as string))
  const rows = await mine
    .selectAll()
    .orderBy('last_event_at', (order) => order.desc().nullsLast())
    .orderBy('project_id', 'desc')
    .limit(limit)
    .execute()
  const { total } = await mine.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}

export type ResolvedProject = {
  writtenKey: string
  name: ProjectName
  workspaceId: string
  personalWorkspaceId: string
  project: Project | undefined
  userPreferences: Project | undefined
}

/** Memory belongs to its author alone: a former member still reaches the memory written there. */
export async function resolveProject(
  ctx: UserCtx,
  writtenKey: string,
  workspaceId: string | null | undefined,
): Promise<ResolvedProject> {
  const name = readProjectKey(writtenKey)
  const { personalWorkspaceId, projects, userPreferences } = await findProjects(
    ctx.db,
    ctx.viewer.userId,
    name,
  )
  // User preferences apply everywhere, so there is one document.
  const wanted = name.form === 'user_preferences' ? personalWorkspaceId : (workspaceId ?? personalWorkspaceId)
  const project = projects.find((candidate) => candidate.workspace_id === wanted)
  if (!project && wanted !== personalWorkspaceId) await requireRole(ctx, wanted, 'viewer')
  return { writtenKey, name, workspaceId: wanted, personalWorkspaceId, project, userPreferences }
}

/** Locks the project, because serialisable transactions on different projects would conflict. */
export async function resolveForWriting(
  ctx: UserCtx,
  writtenKey: string,
  workspaceId: string | null | undefined,
): Promise<ResolvedProject> {
  const resolve = () => resolveProject(ctx, writtenKey, workspaceId)
  let resolved = await resolve()
  if (ctx.database.engine === 'sqlite') return resolved
  if (!resolved.project) {
    await hasNames(ctx)
    resolved = await resolve()
  }
  return lockResolved(ctx, resolved)
}

/** Resolves two keys for writing. `naming`: the transaction may rename a project. */
export async function resolveTwoForWriting(
  ctx: UserCtx,
  [firstKey, secondKey]: readonly [string, string],
  workspaceId: string | null | undefined,
  { naming = false } = {},
): Promise<[ResolvedProject, ResolvedProject]> {
  const resolve = async () =>
    [
      await resolveProject(ctx, firstKey, workspaceId),
      await resolveProject(ctx, secondKey, workspaceId),
    ] as const
  let [first, second] = await resolve()
  if (ctx.database.engine === 'sqlite') return [first, second]
  if (naming || !first.project || !second.project) {
    await hasNames(ctx)
    ;[first, second] = await resolve()
  }
  // Locks in the order of ids, so that two writers of the same projects do not deadlock.
  if ((first.project?.project_id ?? '') < (second.project?.project_id ?? '')) {
    first = await lockResolved(ctx, first)
    return [first, await lockResolved(ctx, second)]
  }
  second = await lockResolved(ctx, second)
  return [await lockResolved(ctx, first), second]
}

/** Take this lock before any project lock, because its holder waits for projects. */
const hasNames = ({ db, database, viewer }: UserCtx) =>
  acquireLockOf(db, database.engine, 'projectNames', viewer.userId)

async function lockResolved(ctx: UserCtx, resolved: ResolvedProject): Promise<ResolvedProject> {
  if (!resolved.project) return resolved
  const project = await lockProject(ctx.db, resolved.project)
  // The project was renamed, merged or deleted in the meantime.
  if (!project || !isNamedAlike(project, resolved.project)) throw new RunAgain()
  return { ...resolved, project }
}

const isNamedAlike = (a: Project, b: Project): boolean =>
  a.project_key === b.project_key && a.host === b.host && a.workspace_id === b.workspace_id

/** Returns the provenance of memory: written by the person's own agents, including pasted pages and logs. */
export const ownMemory = (workspaceId: string): ProvenanceAnswer => ({
  owner: 'you',
  workspace: workspaceId,
  reviewed: false,
})

/** Refuses a new key that contains a secret: clients list and log project keys. */
export function refuseUnfitKey(writtenKey: string, field = 'project_key'): void {
  if (Buffer.byteLength(readProjectKey(writtenKey).key) > MAX_KEY_BYTES)
    throw invalid(field, `A project key has at most ${MAX_KEY_BYTES.toLocaleString('en')} bytes in UTF-8`)
  // Credentials inside an address are dropped when the key is read.
  const [found] = findSecrets(writtenKey.replace(/:\/\/[^/@\s]{0,500}@/, '://'))
  if (found)
    throw invalid(field, `This looks like a secret (${found.kind}). Name the project by its repository`)
}

function existingProject(resolved: ResolvedProject): Project {
  if (!resolved.project) throw notFound('Project', 'Nothing is remembered under this key.')
  return resolved.project
}

const ProjectContextProjectsResponse = z
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

const ProjectContextProjectRenameRequest = z
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
  await moveCommits(db, project, other)
  await moveMarks(db, project, other)
  await removeProject(db, project)
  await recount(db, other, moved)
}

async function giveName({ db }: UserCtx, project: Project, name: ProjectName): Promise<void> {
  const renamed = { ...project, project_key: name.key, host: name.form === 'remote' ? name.host : null }
  await dropAliases(db, project)
  await renameRow(db, renamed)
  await addAliases(db, renamed, name)
}

export async function forgetMemory(ctx: Ctx, userId: string): Promise<number> {
  const projects = await ctx.db
    .selectFrom('context_projects')
    .select(['user_id', 'project_id'])
    .where('user_id', '=', userId)
    .execute()
  let events = 0
  for (const project of projects) {
    events += await removeEventsOf(ctx.db, ctx.database.engine, project)
    await removeProject(ctx.db, project)
  }
  return events
}
