import { textsToRescan } from '../redaction/rescan.ts'

export const searchesToRescan = textsToRescan(
  'kept searches',
  'kept_searches',
  'search_id',
  ['name', 'query'],
  ['filters'],
)
