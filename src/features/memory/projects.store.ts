import type { Selectable } from 'kysely'
import { byBytes } from '../../db/byte-order.ts'
import { type Db, isSqlite, RunAgain } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import type { ContextProjectsTable } from '../../db/tables/memory.ts'
import { addPartition, type EventPosition, type ProjectRef } from './partitions.store.ts'
import { type ProjectName, USER_PREFERENCES_KEY } from './project-key.ts'

export type Project = Selectable<ContextProjectsTable> & {
  /** The last event, moved on by the events of the same transaction. Known on SQLite only. */
  last?: EventPosition | undefined
}

export type Found = {
  personalWorkspaceId: string
  /** The caller's projects under this name, at most one per workspace. */
  projects: Project[]
  userPreferences: Project | undefined
}

const keysOf = (name: ProjectName): string[] =>
  name.form === 'remote' && name.path.includes('/') ? [name.key, name.path] : [name.key]

/** Each table is asked for the person itself, not for that of another table: only so does a cluster see that one shard has all. */
const projectsNamed = prepared(
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
      // On PostgreSQL a writer has to wait for others first, so what is read here would be old.
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

/** One read: where the caller's memory lives, and which of the caller's projects the name means. */
export async function findProjects(db: Db, userId: string, name: ProjectName): Promise<Found> {
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

/**
 * How well a name fits, 0 if it does not mean the project. `host/org/repo` also means the project `org/repo` as long as
 * that one has no host. The earlier spelling comes first, so that a project that was stored by it stays within reach.
 */
function fitOf(name: ProjectName, alias: string, project: Project): number {
  const spellings = name.earlier ? [name.earlier, name] : [name]
  const exact = spellings.findIndex(({ key }) => key === alias)
  if (exact !== -1) return 4 - exact
  if (project.host !== null) return 0
  const byPath = spellings.findIndex((spelling) => spelling.form === 'remote' && spelling.path === alias)
  return byPath === -1 ? 0 : 2 - byPath
}

const lockedRow = prepared((db, parameter: Named<ProjectRef>) =>
  db
    .selectFrom('context_projects')
    .selectAll()
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id'))
    .forNoKeyUpdate(),
)

/**
 * Locks the project for writing until the transaction ends. Undefined if it is
 * gone by then. For PostgreSQL only: SQLite has one writer.
 */
export async function lockProject(db: Db, { user_id, project_id }: ProjectRef): Promise<Project | undefined> {
  const [row] = await lockedRow(db, { user_id, project_id })
  return row
}

/** The caller holds the lock `projectNames` of the owner, and has checked that there is no such project. */
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

/** The first project with a path is also found by the path alone; a second one on another host is not. */
export async function addAliases(db: Db, project: Project, name: ProjectName): Promise<void> {
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
    // Without its own key nothing would find the project.
    if (alias === project.project_key && added.numInsertedOrUpdatedRows === 0n) throw new RunAgain()
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
    .where('user_id', '=', project.user_id)
    .where('project_id', '=', project.project_id)
    .execute()
}

export async function dropAliases(db: Db, { user_id, project_id }: ProjectRef): Promise<void> {
  await db
    .deleteFrom('context_project_aliases')
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .execute()
}

export async function aliasesOf(
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

/** Every project of a person with its partitions, those of the newest events first. */
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

/** Removes the project's own rows; its events are gone by then. */
export async function removeProject(db: Db, project: ProjectRef): Promise<void> {
  const { user_id, project_id } = project
  await dropAliases(db, project)
  for (const table of ['context_partitions', 'context_projects'] as const)
    await db.deleteFrom(table).where('user_id', '=', user_id).where('project_id', '=', project_id).execute()
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
