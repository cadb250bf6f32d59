import type { Kysely, KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import type { Schema } from '../../db/schema.ts'
import { sendCardsHome } from './delete.ts'

const url = (cardId: string) => `/api/v1/cards/${cardId}`

function counting(db: Kysely<Schema>) {
  let statements = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { db: db.withPlugin(plugin), count: () => statements }
}

const define = (t: TestVault) => {
  const marksOf = async (cardIds: readonly string[]) => {
    const rows = await t.app.services.database.read
      .selectFrom('cards')
      .select('successor_gone')
      .where('card_id', 'in', cardIds)
      .execute()
    return rows.map((row) => row.successor_gone)
  }

  const shared = async (as: Person, workspace_id: string) => {
    const { card_id } = await record(as, { workspace_id })
    await as.post(`${url(card_id)}/share`)
    return card_id
  }

  /** Pairs of cards in a team that is emptied; how many statements that took, and the marks before and after. */
  const emptied = async (pairs: number) => {
    const { workspaceId, admin, editor } = await team(t)
    const replace = async (former: string, successor: string) =>
      editor.post(`${url(successor)}/links`, { to_card_id: former, kind: 'supersedes' })
    const ofTwo: string[] = []
    const ofOne: string[] = []
    for (let i = 0; i < pairs; i++) {
      const former = await shared(editor, workspaceId)
      await replace(former, await shared(admin, workspaceId))
      ofTwo.push(former)
      const own = await shared(editor, workspaceId)
      const successor = await shared(editor, workspaceId)
      await replace(own, successor)
      await editor.post(`${url(successor)}/unpublish`)
      ofOne.push(own)
    }
    const before = [await marksOf(ofTwo), await marksOf(ofOne)]
    const statements = await inTx(contextFor(t.app.services), async (ctx) => {
      const { db, count } = counting(ctx.db)
      const { personal_workspace_id } = await db
        .selectFrom('users')
        .select('personal_workspace_id')
        .where('user_id', '=', admin.userId)
        .executeTakeFirstOrThrow()
      await sendCardsHome({ ...ctx, db }, workspaceId, personal_workspace_id)
      return count()
    })
    return { before, after: [await marksOf(ofTwo), await marksOf(ofOne)], statements }
  }

  test('a workspace that goes marks all its successors in as many statements as one', async () => {
    const one = await emptied(1)
    const four = await emptied(4)
    // A draft of one's own replaces nothing for the team; at home it does. Another person's card there does not.
    expect(one).toMatchObject({ before: [[0], [1]], after: [[1], [0]] })
    expect(four).toMatchObject({
      before: [Array(4).fill(0), Array(4).fill(1)],
      after: [Array(4).fill(1), Array(4).fill(0)],
    })
    // Only a cluster locks the six further successors one by one.
    const locks = t.app.services.database.isDistributed ? 6 : 0
    expect(four.statements).toBe(one.statements + locks)
  })
}

onBothEngines('succession', define)
