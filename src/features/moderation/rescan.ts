import type { RescanSource } from '../redaction/rescan.ts'
import { cleanOptional, cleanText, Findings } from '../redaction/stored.ts'

export const reportsToRescan: RescanSource = {
  name: 'reports of cards',
  count: async (db) => {
    const { total } = await db
      .selectFrom('card_reports')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('card_reports')
      .select(['report_id', 'note'])
      .where('report_id', '>', after)
      .orderBy('report_id')
      .limit(limit)
      .execute()
    return rows.map(({ report_id, note: given }) => {
      const findings = new Findings()
      const note = cleanOptional(given, findings)
      return {
        id: report_id,
        findings: findings.list(),
        save: async (db) => {
          await db.updateTable('card_reports').set({ note }).where('report_id', '=', report_id).execute()
        },
      }
    })
  },
}

/** What owners and moderators wrote to each other. */
export const mattersToRescan: RescanSource = {
  name: 'moderation',
  count: async (db) => {
    const { total } = await db
      .selectFrom('moderation_matters')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('moderation_matters')
      .select(['matter_id', 'ask_note', 'reason', 'appeal_note'])
      .where('matter_id', '>', after)
      .orderBy('matter_id')
      .limit(limit)
      .execute()
    return rows.map(({ matter_id, ask_note, reason, appeal_note }) => {
      const findings = new Findings()
      const clean = {
        ask_note: cleanOptional(ask_note, findings),
        reason: cleanOptional(reason, findings),
        appeal_note: cleanOptional(appeal_note, findings),
      }
      return {
        id: matter_id,
        findings: findings.list(),
        save: async (db) => {
          await db.updateTable('moderation_matters').set(clean).where('matter_id', '=', matter_id).execute()
        },
      }
    })
  },
}

/** Reasons of bans, which the banned person reads. */
export const bansToRescan: RescanSource = {
  name: 'bans',
  count: async (db) => {
    const { total } = await db
      .selectFrom('publishing_bans')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  },
  batch: async (db, after, limit) => {
    const rows = await db
      .selectFrom('publishing_bans')
      .select(['ban_id', 'reason', 'lift_reason'])
      .where('ban_id', '>', after)
      .orderBy('ban_id')
      .limit(limit)
      .execute()
    return rows.map(({ ban_id, reason, lift_reason }) => {
      const findings = new Findings()
      const clean = {
        reason: cleanText(reason, findings),
        lift_reason: cleanOptional(lift_reason, findings),
      }
      return {
        id: ban_id,
        findings: findings.list(),
        save: async (db) => {
          await db.updateTable('publishing_bans').set(clean).where('ban_id', '=', ban_id).execute()
        },
      }
    })
  },
}
