import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import { addedFindings, type Rescanned, tableToRescan } from '../redaction/rescan.ts'
import { cleanJson, cleanOptional, cleanText, Findings } from '../redaction/stored.ts'
import { countText, rowsOf } from '../storage/text-usage.ts'
import { dropFromIndex } from './events.search.ts'
import { type EventRow, indexEvent, searchTextOf } from './events.store.ts'

function rescanned(row: EventRow): Rescanned {
  const findings = new Findings()
  const title = cleanOptional(row.title, findings)
  const content = cleanText(row.content, findings)
  const clean = {
    title,
    content,
    session_id: cleanOptional(row.session_id, findings),
    client: cleanOptional(row.client, findings),
    meta: toJsonOrNull(cleanJson(fromJsonOrNull(row.meta), findings)),
    search_text: searchTextOf(title, content),
  }
  const found = findings.list()
  return {
    id: row.raw_id,
    findings: found,
    save: async (db, engine) => {
      const redactions = toJson(addedFindings(fromJson(row.redactions), found))
      const { user_id, raw_id } = row
      const saved = await countText(db, [rowsOf('context_events', { user_id, raw_id })], () =>
        db
          .updateTable('context_events')
          .set({ ...clean, redactions })
          .where('user_id', '=', user_id)
          .where('raw_id', '=', raw_id)
          .returning('event_no')
          .executeTakeFirst(),
      )
      if (!saved) return
      await dropFromIndex(db, engine, row.user_id, [saved.event_no])
      await indexEvent(db, engine, { ...row, ...clean })
    },
  }
}

/** Texts of events never change once they are written, so a row that was read is either the same or gone. */
export const eventsToRescan = tableToRescan('memory events', 'context_events', rescanned)
