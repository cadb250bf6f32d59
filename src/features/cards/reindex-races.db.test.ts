import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import type { Answer } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting, waitingStatements } from '../../../test/support/meeting.ts'
import { contextFor, SELF_GUARDED } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { documentsNamedBy } from '../../search-index/index-store.ts'
import { isPublic } from '../../search-index/packing.ts'
import { reindexStale, reindexWorkspaceSoon } from './card-index.ts'

/** What the index says of a card depends on whether strangers read its team. */
onBothEngines('a card that is written while its team is opened or closed', (t) => {
  const url = (id: string) => `/api/v1/cards/${id}`
  const database = () => t.app.services.database

  /** Once the job has read again what is marked. */
  async function isIndexedForStrangers(cardId: string): Promise<boolean> {
    const ctx = contextFor(t.app.services)
    await reindexStale(ctx, new AbortController().signal)
    const [entry] = await documentsNamedBy(ctx, sql`select ${cardId} as card_id`, 1)
    return entry !== undefined && isPublic(entry)
  }

  test('by an edit', async () => {
    const { admin, workspaceId } = await team(t)
    const { card_id } = await record(admin, { workspace_id: workspaceId })
    await admin.post(`${url(card_id)}/share`)
    const become = (visibility: 'private' | 'public') => async (db: Db) => {
      await db.updateTable('workspaces').set({ visibility }).where('workspace_id', '=', workspaceId).execute()
      await reindexWorkspaceSoon({ ...contextFor(t.app.services), db }, workspaceId)
    }
    const edit = () => admin.patch(url(card_id), { scope_notes: crypto.randomUUID() })
    for (const visibility of ['public', 'private'] as const) {
      expect(await meeting(t, become(visibility), edit)).toMatchObject({ status: 200 })
      expect(await isIndexedForStrangers(card_id)).toBe(visibility === 'public')
    }
  })

  /** Lets both begin, the second when the first waits for a row that is locked, and ends that when both wait. */
  async function bothUnderWay(
    lock: (db: Db) => Promise<unknown>,
    first: () => Promise<Answer>,
    second: () => Promise<Answer>,
  ): Promise<Answer[]> {
    if (t.engine === 'sqlite') return Promise.all([first(), second()])
    const [locked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const locking = database().transaction(async (db) => {
      await lock(db)
      locked.resolve()
      await end.promise
    }, SELF_GUARDED)
    await Promise.race([locked.promise, locking])
    const begun = [first()]
    await expect.poll(() => waitingStatements(database())).toBe(1)
    begun.push(second())
    await expect
      .poll(() => waitingStatements(database()))
      .toBe(2)
      .finally(end.resolve)
    await locking
    return Promise.all(begun)
  }

  test('by publishing it there, or by bringing it back', async () => {
    const { admin, workspaceId } = await team(t)
    const { card_id } = await record(admin)
    const role = (db: Db) =>
      db
        .selectFrom('memberships')
        .select('role')
        .where('workspace_id', '=', workspaceId)
        .forUpdate()
        .execute()
    const become = (visibility: 'private' | 'public') =>
      admin.patch(`/api/v1/workspaces/${workspaceId}`, { visibility })
    const publish = () => admin.post(`${url(card_id)}/publish?target_workspace_id=${workspaceId}`)
    const bringBack = () => admin.post(`${url(card_id)}/undelete`)
    for (const write of [publish, bringBack]) {
      const answers = await bothUnderWay(role, write, () => become('public'))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(await isIndexedForStrangers(card_id)).toBe(true)
      await become('private')
      await admin.delete(url(card_id))
    }
  })
})
