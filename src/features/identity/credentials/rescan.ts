import { textsToRescan } from '../../redaction/rescan.ts'

export const keysToRescan = textsToRescan('API keys', 'api_keys', 'key_id', ['name'])
