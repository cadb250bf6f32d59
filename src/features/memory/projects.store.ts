import type { Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type { ContextProjectsTable } from '../../db/tables/memory.ts'
import { LAST_SEQUENCE } from './events.search.ts'
import { type ProjectName, USER_PREFERENCES_KEY } from './project-key.ts'

export type Project = Selectable<ContextProjectsTable>

export type Found = {
  personalWorkspaceId: string
  /** The caller's projects under this name, at most one per workspace. */
  projects: Project[]
  userPreferences: Project | undefined
}

const keysOf = (name: ProjectName): string[] =>
  name.form === 'remote' && name.path.includes('/') ? [name.key, name.path] : [name.key]

const projectsNamed = prepared(
  (db, parameter: Named<{ user: string; key: string; path: string; preferences: string }>) =>
    db
      .selectFrom('users')
      .leftJoin('context_project_aliases as aliases', (join) =>
        join
          .onRef('aliases.user_id', '=', 'users.user_id')
          .on('aliases.alias', 'in', [parameter('key'), parameter('path'), parameter('preferences')]),
      )
      .leftJoin('context_projects as projects', 'projects.project_id', 'aliases.project_id')
      .select(['users.personal_workspace_id', 'aliases.alias'])
      .selectAll('projects')
      .where('users.user_id', '=', parameter('user')),
)

/** One read: where the caller's memory lives, and which of the caller's projects the name means. */
export async function findProjects(db: Db, userId: string, name: ProjectName): Promise<Found> {
  const [key = '', path = key] = keysOf(name)
  const rows = await projectsNamed(db, { user: userId, key, path, preferences: USER_PREFERENCES_KEY })
  const byWorkspace = new Map<string, Project>()
  let userPreferences: Project | undefined
  for (const { alias, personal_workspace_id: _, ...row } of rows) {
    if (alias === null || row.project_id === null) continue
    const project = row as Project
    if (alias === USER_PREFERENCES_KEY) userPreferences = project
    if (!means(name, alias, project)) continue
    // An exact name goes before a repository that has not learnt its host yet.
    if (alias === name.key || !byWorkspace.has(project.workspace_id))
      byWorkspace.set(project.workspace_id, project)
  }
  const personalWorkspaceId = rows[0]?.personal_workspace_id
  if (personalWorkspaceId === undefined) throw new Error('the caller has no account row')
  return { personalWorkspaceId, projects: [...byWorkspace.values()], userPreferences }
}

/** `host/org/repo` also means the project `org/repo` as long as that one has no host. */
function means(name: ProjectName, alias: string, project: Project): boolean {
  if (alias === name.key) return true
  return name.form === 'remote' && alias === name.path && project.host === null
}

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
  await addPartition(db, project.project_id)
  await addAliases(db, project, name)
  return project
}

/** The first project of a path also answers to the path alone; on a second host the path is taken. */
export async function addAliases(db: Db, project: Project, name: ProjectName): Promise<void> {
  for (const alias of keysOf(name)) {
    await db
      .insertInto('context_project_aliases')
      .values({
        user_id: project.user_id,
        workspace_id: project.workspace_id,
        alias,
        project_id: project.project_id,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** A project first written as `org/repo` takes the host of the first address that names it. */
export async function learnHost(db: Db, project: Project, name: ProjectName): Promise<Project> {
  if (name.form !== 'remote' || project.host !== null || project.project_key !== name.path) return project
  const learnt = { ...project, project_key: name.key, host: name.host }
  await renameRow(db, learnt)
  await addAliases(db, learnt, name)
  return learnt
}

export async function renameRow(db: Db, project: Project): Promise<void> {
  await db
    .updateTable('context_projects')
    .set({ project_key: project.project_key, host: project.host })
    .where('project_id', '=', project.project_id)
    .execute()
}

export async function dropAliases(db: Db, projectId: string): Promise<void> {
  await db.deleteFrom('context_project_aliases').where('project_id', '=', projectId).execute()
}

export async function aliasesOf(db: Db, projectIds: readonly string[]): Promise<Map<string, string[]>> {
  const aliases = new Map<string, string[]>()
  if (projectIds.length === 0) return aliases
  const rows = await db
    .selectFrom('context_project_aliases')
    .select(['project_id', 'alias'])
    .where('project_id', 'in', projectIds)
    .orderBy('alias')
    .execute()
  for (const { project_id, alias } of rows)
    aliases.set(project_id, [...(aliases.get(project_id) ?? []), alias])
  return aliases
}

async function addPartition(db: Db, projectId: string): Promise<void> {
  await db.insertInto('context_partitions').values({ project_id: projectId, last_seq: 0 }).execute()
}

const newestPartition = prepared((db, parameter: Named<{ project: string }>) =>
  db
    .selectFrom('context_partitions')
    .select(['partition_no', 'last_seq'])
    .where('project_id', '=', parameter('project'))
    .orderBy('partition_no', 'desc')
    .limit(1),
)

type NewPlace = { project: string; partition: number; sequence: number }

const takePlace = prepared((db, parameter: Named<NewPlace>) =>
  db
    .updateTable('context_partitions')
    .set({ last_seq: parameter('sequence') })
    .where('partition_no', '=', parameter('partition'))
    .where('project_id', '=', parameter('project')),
)

/**
 * The next free place for an event of the project. Read, then written: an update that returns what it wrote would make
 * SQLite's text index write out what it has gathered.
 */
export async function nextPlace(db: Db, projectId: string): Promise<{ partition: number; sequence: number }> {
  const [newest] = await newestPartition(db, { project: projectId })
  if (!newest || newest.last_seq >= LAST_SEQUENCE) {
    await addPartition(db, projectId)
    return nextPlace(db, projectId)
  }
  const place = { partition: newest.partition_no, sequence: newest.last_seq + 1 }
  await takePlace(db, { project: projectId, ...place })
  return place
}

export async function partitionsOf(db: Db, projectId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('context_partitions')
    .select('partition_no')
    .where('project_id', '=', projectId)
    .orderBy('partition_no', 'desc')
    .execute()
  return rows.map((row) => row.partition_no)
}

/** Removes the project's own rows; its events are gone by then. */
export async function removeProject(db: Db, projectId: string): Promise<void> {
  await dropAliases(db, projectId)
  await db.deleteFrom('context_partitions').where('project_id', '=', projectId).execute()
  await db.deleteFrom('context_projects').where('project_id', '=', projectId).execute()
}

export async function listProjectRows(
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
