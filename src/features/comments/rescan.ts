import type { RescanSource } from '../redaction/rescan.ts'
import { cleanText, Findings } from '../redaction/stored.ts'

export const cardCommentsToRescan: RescanSource = {
  name: 'comments on cards',
  count: async (db) => {
    const { total } = await db
      .selectFrom('card_comments')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('card_comments')
      .select(['comment_id', 'body'])
      .where('comment_id', '>', after)
      .orderBy('comment_id')
      .limit(limit)
      .execute()
    return rows.map(({ comment_id, body }) => {
      const findings = new Findings()
      const clean = cleanText(body, findings)
      return {
        id: comment_id,
        findings: findings.list(),
        save: async (db) => {
          await db
            .updateTable('card_comments')
            .set({ body: clean })
            .where('comment_id', '=', comment_id)
            .execute()
        },
      }
    })
  },
}
