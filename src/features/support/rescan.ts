import type { RescanSource } from '../redaction/rescan.ts'
import { cleanText, Findings } from '../redaction/stored.ts'

export const ticketsToRescan: RescanSource = {
  name: 'support tickets',
  count: async (db) => {
    const { total } = await db
      .selectFrom('support_tickets')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('support_tickets')
      .select(['ticket_id', 'subject', 'message'])
      .where('ticket_id', '>', after)
      .orderBy('ticket_id')
      .limit(limit)
      .execute()
    return rows.map(({ ticket_id, subject, message }) => {
      const findings = new Findings()
      const clean = { subject: cleanText(subject, findings), message: cleanText(message, findings) }
      return {
        id: ticket_id,
        findings: findings.list(),
        save: async (db) => {
          await db.updateTable('support_tickets').set(clean).where('ticket_id', '=', ticket_id).execute()
        },
      }
    })
  },
}
