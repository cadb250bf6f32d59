import type { RescanSource } from '../redaction/rescan.ts'
import { cleanText, Findings } from '../redaction/stored.ts'

export const commentsToRescan: RescanSource = {
  name: 'feedback comments',
  count: async (db) => {
    const { total } = await db
      .selectFrom('card_feedback')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('card_feedback')
      .select(['feedback_id', 'comment'])
      .where('feedback_id', '>', after)
      .orderBy('feedback_id')
      .limit(limit)
      .execute()
    return rows.map(({ feedback_id, comment }) => {
      const findings = new Findings()
      const clean = comment === null ? null : cleanText(comment, findings)
      return {
        id: feedback_id,
        findings: findings.list(),
        save: async (db) => {
          await db
            .updateTable('card_feedback')
            .set({ comment: clean })
            .where('feedback_id', '=', feedback_id)
            .execute()
        },
      }
    })
  },
}
