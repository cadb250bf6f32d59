import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import type { RawMaterialsTable } from '../../db/tables/memory.ts'
import { addedFindings, type Rescanned, tableToRescan } from '../redaction/rescan.ts'
import { cleanJson, cleanOptional, cleanText, Findings } from '../redaction/stored.ts'
import { countText, rowsOf } from '../storage/text-usage.ts'

function rescanned(row: RawMaterialsTable): Rescanned {
  const findings = new Findings()
  const clean = {
    kind: cleanText(row.kind, findings),
    title: cleanOptional(row.title, findings),
    content: cleanText(row.content, findings),
    source_url: cleanOptional(row.source_url, findings),
    tags: toJson(fromJson<string[]>(row.tags).map((tag) => cleanText(tag, findings))),
    meta: toJsonOrNull(cleanJson(fromJsonOrNull(row.meta), findings)),
  }
  const found = findings.list()
  return {
    id: row.raw_id,
    findings: found,
    save: async (db) => {
      const redactions = toJson(addedFindings(fromJson(row.redactions), found))
      const { raw_id } = row
      await countText(db, [rowsOf('raw_materials', { raw_id })], () =>
        db
          .updateTable('raw_materials')
          .set({ ...clean, redactions })
          .where('raw_id', '=', raw_id)
          .execute(),
      )
    },
  }
}

export const materialsToRescan = tableToRescan('raw materials', 'raw_materials', rescanned)
