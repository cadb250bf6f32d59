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

export const repliesToRescan: RescanSource = {
  name: 'ticket replies',
  count: async (db) => {
    const { total } = await db
      .selectFrom('support_replies')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('support_replies')
      .select(['reply_id', 'message'])
      .where('reply_id', '>', after)
      .orderBy('reply_id')
      .limit(limit)
      .execute()
    return rows.map(({ reply_id, message: given }) => {
      const findings = new Findings()
      const message = cleanText(given, findings)
      return {
        id: reply_id,
        findings: findings.list(),
        save: async (db) => {
          await db.updateTable('support_replies').set({ message }).where('reply_id', '=', reply_id).execute()
        },
      }
    })
  },
}
