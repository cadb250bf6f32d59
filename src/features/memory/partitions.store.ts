import { type Db, isSqlite } from '../../db/db.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { LAST_SEQUENCE } from './events.search.ts'

/** Memory can be sharded by person, so every statement names the person. */
export type ProjectRef = { user_id: string; project_id: string }

/** Where the last event of a project is. */
export type EventPosition = { partition: number; sequence: number }

export async function addPartition(db: Db, { user_id, project_id }: ProjectRef): Promise<void> {
  await db.insertInto('context_partitions').values({ user_id, project_id, last_seq: 0 }).execute()
}

const newestPartition = prepared((db, parameter: Named<ProjectRef>) =>
  db
    .selectFrom('context_partitions')
    .select(['partition_no as partition', 'last_seq as sequence'])
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id'))
    .orderBy('partition_no', 'desc')
    .limit(1),
)

const savePosition = prepared((db, parameter: Named<EventPosition & ProjectRef>) =>
  db
    .updateTable('context_partitions')
    .set({ last_seq: parameter('sequence') })
    .where('partition_no', '=', parameter('partition'))
    .where('user_id', '=', parameter('user_id'))
    .where('project_id', '=', parameter('project_id')),
)

/** The next position in the newest partition; no row if that one is full. */
const takePosition = prepared(
  (db, parameter: Named<ProjectRef>) =>
    db
      .updateTable('context_partitions')
      .set((eb) => ({ last_seq: eb('last_seq', '+', 1) }))
      .where('user_id', '=', parameter('user_id'))
      .where('project_id', '=', parameter('project_id'))
      .where('partition_no', '=', (eb) =>
        eb
          .selectFrom('context_partitions as all')
          .select((eb) => eb.fn.max('all.partition_no').as('newest'))
          .where('all.user_id', '=', parameter('user_id'))
          .where('all.project_id', '=', parameter('project_id')),
      )
      .where('last_seq', '<', LAST_SEQUENCE)
      .returning(['partition_no as partition', 'last_seq as sequence']),
  { keepsPlan: true },
)

type Numbered = ProjectRef & { last?: EventPosition | undefined }

/** It reads and then writes: an update with `returning` would make SQLite's text index write out what it has gathered. */
async function moveLast(db: Db, project: Numbered): Promise<EventPosition | undefined> {
  const { user_id, project_id } = project
  const last = project.last ?? (await newestPartition(db, { user_id, project_id }))[0]
  if (!last || last.sequence >= LAST_SEQUENCE) return undefined
  project.last = { ...last, sequence: last.sequence + 1 }
  await savePosition(db, { user_id, project_id, ...project.last })
  return project.last
}

/** Takes the next free position for an event of the project. */
export async function nextPosition(db: Db, project: Numbered): Promise<EventPosition> {
  const { user_id, project_id } = project
  const taken = isSqlite(db)
    ? await moveLast(db, project)
    : (await takePosition(db, { user_id, project_id }))[0]
  if (taken) return taken
  await addPartition(db, project)
  project.last = undefined
  return nextPosition(db, project)
}

export async function partitionsOf(db: Db, project: ProjectRef): Promise<number[]> {
  const positions = await lastPositions(db, project)
  return positions.map(({ partition }) => partition)
}

/** Every partition of the project with its last event, the newest partition first. */
export async function lastPositions(db: Db, { user_id, project_id }: ProjectRef): Promise<EventPosition[]> {
  return db
    .selectFrom('context_partitions')
    .select(['partition_no as partition', 'last_seq as sequence'])
    .where('user_id', '=', user_id)
    .where('project_id', '=', project_id)
    .orderBy('partition_no', 'desc')
    .execute()
}
