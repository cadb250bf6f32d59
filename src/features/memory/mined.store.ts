/**
 * Text of memory is also in the drafts that were made from it (features/mining, which imports this feature). What is deleted
 * for good is deleted there too. A draft that was accepted stays, as its card does.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { freeText, storedTextBytes } from '../storage/text-usage.ts'
import type { ProjectRef } from './partitions.store.ts'

const keysOf = ({ user_id, project_id }: ProjectRef) =>
  sql`select alias from context_project_aliases where user_id = ${user_id} and project_id = ${project_id}`

const keysOfOthers = ({ user_id, project_id }: ProjectRef) =>
  sql`select alias from context_project_aliases where user_id = ${user_id} and project_id <> ${project_id}`

const sessionsOf = ({ user_id, project_id }: ProjectRef) =>
  sql`select session_id from context_events
    where user_id = ${user_id} and project_id = ${project_id} and session_id is not null`

/** A draft keeps the key that the project had then, and a session may be about several projects. */
const isAbout = (project: ProjectRef): RawBuilder<SqlBool> =>
  sql`(project_key in (${keysOf(project)}) or project_key not in (${keysOfOthers(project)}))`

const isOf = (project: ProjectRef): RawBuilder<SqlBool> =>
  sql`(project_key in (${keysOf(project)}) or (session_id in (${sessionsOf(project)}) and ${isAbout(project)}))`

async function removeMined(db: Db, { user_id }: ProjectRef, which: RawBuilder<SqlBool>): Promise<void> {
  const gone = await db
    .deleteFrom('card_drafts')
    .where('user_id', '=', user_id)
    .where('status', '!=', 'accepted')
    .where(which)
    .returning(['user_id', storedTextBytes('card_drafts').as('bytes')])
    .execute()
  await freeText(db, gone)
  await db.deleteFrom('recoveries').where('user_id', '=', user_id).where(which).execute()
}

/** Call it while the project still has its keys, and its events if they go with it. */
export const removeMinedOf = (db: Db, project: ProjectRef): Promise<void> =>
  removeMined(db, project, isOf(project))

/** For one turn: its session is all that a draft knows. */
export const removeMinedOfSession = (db: Db, project: ProjectRef, sessionId: string): Promise<void> =>
  removeMined(db, project, sql`(session_id = ${sessionId} and ${isAbout(project)})`)
